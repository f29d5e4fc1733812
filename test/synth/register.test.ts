import { ApiObject, App as Cdk8sApp, type Chart, Testing } from 'cdk8s';
import { Construct } from 'constructs';
import * as lib from '../../lib';

type ConstructClass = new (scope: Construct, id: string, props?: object) => Construct;

const isConstructClass = (value: unknown): value is ConstructClass =>
  typeof value === 'function' && value.prototype instanceof Construct;

const classes = Object.entries<unknown>(lib)
  .filter((entry): entry is [string, ConstructClass] => isConstructClass(entry[1]))
  .filter(([, value]) => !(value.prototype instanceof Cdk8sApp));

/** Adds a construct. The checks are registered before the props are validated, so a refusal does not matter here. */
function add(Class: ConstructClass, chart: Chart): void {
  try {
    new Class(chart, 'construct', {});
  } catch {
    // the props were refused
  }
}

/** A chart with an object that the checks reject. */
function chartWithMistake(): Chart {
  const chart = Testing.chart();
  new ApiObject(chart, 'mistake', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'A' } });
  return chart;
}

describe('the checks run at synth', () => {
  test('never in an app without the constructs', () => {
    expect(() => Testing.synth(chartWithMistake())).not.toThrow();
  });

  test.each(classes)('in an app with a %s', (_, Class) => {
    const chart = chartWithMistake();
    add(Class, chart);
    expect(() => Testing.synth(chart)).toThrow('[test/mistake] TPU713 ServiceAccount/A metadata.name');
  });

  test('for every construct that the package exports', () => {
    expect(classes.map(([name]) => name)).toEqual(expect.arrayContaining(['VllmServer', 'ArgoApplication']));
    expect(classes.length).toBeGreaterThan(15);
  });
});
