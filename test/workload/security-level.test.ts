// A level of Pod Security that the user gave is not overridden silently.
import { Chart, Testing } from 'cdk8s';
import {
  FlexStartJob,
  HuggingFaceToken,
  JetStreamCheckpointConverter,
  JetStreamServer,
  type PodProps,
  SaxCell,
  TpuJob,
  TpuRayService,
  TpuServer,
  TpuSlice,
  VllmServer,
} from '../../lib';
import { refusal } from '../refusal';

const slice = TpuSlice.of('ct5lp-hightpu-8t');
const huggingFaceToken = HuggingFaceToken.fromSecret('hf-secret', 'token');
const serveConfig = { applications: [{ name: 'app', importPath: 'a:b' }] };
const image = 'example.com/server:v1';
const converted = {
  model: 'google/gemma-2b-pytorch',
  modelName: 'gemma',
  bucketName: 'my-models',
  path: 'gemma',
};

type Make = (chart: Chart, props: PodProps) => unknown;

const MAKERS: Readonly<Record<string, Make>> = {
  VllmServer: (chart, props) => new VllmServer(chart, 'it', { model: 'google/gemma-2b', slice, ...props }),
  TpuServer: (chart, props) => new TpuServer(chart, 'it', { image, slice, ...props }),
  JetStreamServer: (chart, props) =>
    new JetStreamServer(chart, 'it', { model: 'google/gemma-2b', huggingFaceToken, slice, ...props }),
  JetStreamCheckpointConverter: (chart, props) =>
    new JetStreamCheckpointConverter(chart, 'it', { ...converted, huggingFaceToken, slice, ...props }),
  SaxCell: (chart, props) =>
    new SaxCell(chart, 'it', {
      bucketName: 'my-models',
      slice,
      hostNetwork: false,
      ...props,
      serviceAccountName: 'sax',
    }),
  TpuJob: (chart, props) => new TpuJob(chart, 'it', { image, slice, ...props }),
  FlexStartJob: (chart, props) => new FlexStartJob(chart, 'it', { image, slice, ...props }),
  'a Ray head': (chart, head) =>
    new TpuRayService(chart, 'it', { serveConfig, head, workerGroups: [{ groupName: 'tpu', slice }] }),
  'a Ray worker group': (chart, props) =>
    new TpuRayService(chart, 'it', { serveConfig, workerGroups: [{ groupName: 'tpu', slice, ...props }] }),
};

describe.each(Object.entries(MAKERS))('%s', (_, make) => {
  const said = (props: PodProps): string => refusal(() => make(new Chart(Testing.app(), 'chart'), props));
  const made = (props: PodProps): unknown => make(new Chart(Testing.app(), 'chart'), props);

  test.each<[string, PodProps, RegExp]>([
    [
      'a privileged container at baseline',
      { podSecurityLevel: 'baseline', fragments: [{ container: { securityContext: { privileged: true } } }] },
      /podSecurityLevel: 'baseline' does not admit the pods: container '[\w-]+' .*privileged; use 'privileged', or /,
    ],
    [
      'the user root at restricted',
      { podSecurityLevel: 'restricted', fragments: [{ pod: { securityContext: { runAsUser: 0 } } }] },
      /podSecurityLevel: 'restricted' does not admit the pods: the pod runs as user 0; use 'baseline', or /,
    ],
    [
      'a sidecar that can escalate its privileges at restricted',
      {
        podSecurityLevel: 'restricted',
        sidecars: [{ name: 'proxy', image: 'proxy:v1', securityContext: { allowPrivilegeEscalation: true } }],
      },
      /podSecurityLevel: 'restricted' does not admit the pods: container 'proxy' /,
    ],
    [
      'a removed security context at restricted',
      { podSecurityLevel: 'restricted', fragments: [{ container: { securityContext: null } }] },
      /podSecurityLevel: 'restricted' does not admit the pods: /,
    ],
    [
      'a container without privileges at privileged',
      {
        podSecurityLevel: 'privileged',
        fragments: [{ container: { securityContext: { privileged: false } } }],
      },
      /podSecurityLevel: 'privileged' sets privileged: true, which a fragment replaces; use one of them/,
    ],
  ])('refuses %s', (__, props, problem) => {
    expect(said(props)).toMatch(problem);
  });

  test.each<[string, PodProps]>([
    [
      'another user at restricted',
      { podSecurityLevel: 'restricted', fragments: [{ pod: { securityContext: { runAsUser: 2000 } } }] },
    ],
    [
      'a stricter pod at baseline',
      { podSecurityLevel: 'baseline', fragments: [{ pod: { securityContext: { runAsNonRoot: true } } }] },
    ],
    [
      'a privileged container without a level',
      { fragments: [{ container: { securityContext: { privileged: true } } }] },
    ],
    [
      'a container that can escalate its privileges at baseline',
      {
        podSecurityLevel: 'baseline',
        fragments: [{ container: { securityContext: { allowPrivilegeEscalation: true } } }],
      },
    ],
    ['the level alone', { podSecurityLevel: 'restricted' }],
    ['all privileges', { podSecurityLevel: 'privileged' }],
  ])('accepts %s', (__, props) => {
    expect(made(props)).toBeDefined();
  });
});
