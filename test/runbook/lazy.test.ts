// A synth without runbooks does nothing for them.
import { Chart, Testing } from 'cdk8s';
import { Construct } from 'constructs';
import { addExamples } from '../../examples';
import { addPlatform } from '../../examples/platform';
import { Runbook } from '../../lib';
import { describeOperations } from '../../lib/operations/operations';
import { ShellCommand } from '../../lib/operations/shell-command';

jest.mock('../../lib/operations/shell-command', () => {
  const actual = jest.requireActual<{ ShellCommand: typeof ShellCommand }>(
    '../../lib/operations/shell-command',
  );
  return { ...actual, ShellCommand: jest.fn((args: readonly string[]) => new actual.ShellCommand(args)) };
});

test('commands are created by a runbook, not by a synth', () => {
  const app = Testing.app();
  addExamples(app);
  addPlatform(app);
  app.synth();
  expect(ShellCommand).not.toHaveBeenCalled();
  const before = JSON.stringify(app.charts.map((chart) => chart.toJson()));
  for (const chart of app.charts) new Runbook(chart);
  expect(ShellCommand).toHaveBeenCalled();
  expect(JSON.stringify(app.charts.map((chart) => chart.toJson()))).toBe(before);
});

test('the operations of a construct are read by a runbook, not before', () => {
  const chart = new Chart(Testing.app(), 'chart');
  const ask = jest.fn(() => ({ notes: ['It was asked.'] }));
  describeOperations(new Construct(chart, 'one'), ask);
  Testing.synth(chart);
  expect(ask).not.toHaveBeenCalled();
  expect(new Runbook(chart).prerequisites).toContainEqual({ what: 'Note', needed: 'It was asked.' });
});
