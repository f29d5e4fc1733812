import path from 'node:path';
import { type App, Chart } from 'cdk8s';
import { ArgoApplication, ArgoHealthChecks } from '../lib';

const repoURL = 'https://github.com/my-org/my-repo.git';

/**
 * Adds an Application for each chart of other apps, an app of apps for all of them, and health checks to install once in Argo CD.
 *
 * @param argo - the app that renders into `dist/argocd`
 * @param apps - the other apps by the folder of `dist` into which they render
 */
export function addArgoCd(argo: App, apps: Readonly<Record<string, App>>): void {
  const applications = new Chart(argo, 'applications', { namespace: 'argocd' });
  for (const [folder, app] of Object.entries(apps))
    for (const chart of app.charts.sort((a, b) => (a.node.id < b.node.id ? -1 : 1)))
      new ArgoApplication(applications, chart.node.id, {
        chart,
        repoURL,
        path: path.posix.join('dist', folder),
      });

  const root = new Chart(argo, 'app-of-apps', { namespace: 'argocd' });
  new ArgoApplication(root, 'tpu-serving', { chart: applications, repoURL, path: 'dist/argocd' });

  new ArgoHealthChecks(new Chart(argo, 'health-checks', { namespace: 'argocd' }), 'health-checks');
}
