import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { source as axeSource, type AxeResults, type RunOptions } from 'axe-core';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { findingsIn } from '../../lib/checks/check';
import { readPaths } from '../../lib/manifest/read';
import { choiceOf } from '../../site/page/choice';
import { render } from '../../site/page/render';
import { root } from '../pages';
import { startChromium } from './chromium';

const address = pathToFileURL(path.join(root, 'build', 'page', 'index.html')).href;
const TABS = ['choose', 'render', 'check'];

let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What went wrong in the page, and what it asked of the network. */
let wrong: string[];

async function open(fragment = '', options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  page = await context.newPage();
  wrong = [];
  page.on('pageerror', ({ message }) => wrong.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(file|blob|data):/.test(request.url())) wrong.push(request.url());
  });
  await page.goto(`${address}#${fragment}`);
  await page.waitForSelector('[role=tablist]');
}

beforeAll(async () => {
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
});
afterEach(async () => {
  await context.close();
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
});

const textOf = (id: string): Promise<string | null> => page.locator(`#${id} code`).textContent();

/** Puts a text into the editor as a paste does. */
const paste = (text: string): Promise<void> => page.locator('#manifest').fill(text);

/** Pastes a text that is too long for the editor, and for a `fill`. */
const pasteLong = (text: string): Promise<void> =>
  page.locator('#manifest').evaluate((box, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    box.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

const status = (tab: string): ReturnType<Page['locator']> => page.locator(`#panel-${tab} .status`);

/** The findings on the screen: rule, severity and line. */
const shownFindings = (): Promise<string[]> =>
  page.locator('.finding').evaluateAll((items) =>
    items.map((item) =>
      ['.badge', 'a', '.line']
        .map((part) => item.querySelector(part)?.textContent ?? '')
        .join(' ')
        .replace('Line ', ''),
    ),
  );

test('renders what Node renders, byte for byte', async () => {
  await open();
  await page.selectOption('#model', 'meta-llama/Llama-3.3-70B-Instruct');
  await page.fill('#maxModelLen', '4096');
  await page.getByRole('radio', { name: 'ct6e-standard-4t 2x4' }).check();
  await page.getByRole('tab', { name: 'Render' }).click();
  await page.selectOption('#loading', 'cache');
  await page.selectOption('#scaling', 'adapter');
  await page.selectOption('#gateway', 'gke-l7-rilb');
  await page.waitForFunction(() => location.hash.includes('gateway'));
  const choice = choiceOf(await page.evaluate(() => location.hash));
  const expected = render(choice);
  expect(choice).toMatchObject({ slice: 'ct6e-standard-4t/2x4', loading: 'cache', gateway: 'gke-l7-rilb' });
  expect(expected.problems).toEqual([]);
  expect(await textOf('yaml')).toBe(expected.yaml);
  expect(await textOf('typescript')).toBe(expected.typescript);
  expect(await textOf('commands')).toBe(expected.commands);
});

test('a download has the name and the bytes of the manifest', async () => {
  await open('tab=render');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download qwen3-32b.k8s.yaml' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('qwen3-32b.k8s.yaml');
  expect(readFileSync(await download.path(), 'utf8')).toBe(render(choiceOf('')).yaml);
});

test('a link restores the choice', async () => {
  await open('tab=render&model=by-hand&modelId=me%2Fmine&parameters=8B&server=any&name=mine&capacity=spot');
  expect(await page.inputValue('#name')).toBe('mine');
  expect(await page.inputValue('#capacity')).toBe('spot');
  expect(await textOf('yaml')).toContain('cloud.google.com/gke-spot');
  await page.fill('#name', 'other');
  await page.waitForFunction(() => location.hash.includes('name=other'));
  expect(choiceOf(await page.evaluate(() => location.hash))).toMatchObject({
    name: 'other',
    modelId: 'me/mine',
  });
});

test.each([
  'ray-stable-diffusion',
  'vllm-llama3-70b',
  'jetstream-gemma-7b-it',
  'saxml-175b',
  'flex-start-multi-host',
])('finds in %s what the command line finds', async (name) => {
  const file = path.join(root, 'dist', `${name}.k8s.yaml`);
  const expected = findingsIn(readPaths([file]).objects).map(({ severity, code, line, accepted }) =>
    [accepted === undefined ? severity : 'accepted', code, String(line)].join(' '),
  );
  await open('tab=check');
  await paste(readFileSync(file, 'utf8'));
  await page.waitForSelector('.results');
  expect((await shownFindings()).sort()).toEqual([...expected].sort());
  expect(await page.locator('.picture svg').count()).toBeGreaterThan(0);
});

describe.each(['light', 'dark'] as const)('in %s colors', (colorScheme) => {
  test.each(TABS)('axe finds no violation in the tab %s, narrow or wide', async (tab) => {
    await open(`tab=${tab}&parameters=x&loading=cache&scaling=adapter`, { colorScheme });
    if (tab === 'check') {
      await page.getByRole('button', { name: 'Show an example' }).click();
      await page.waitForSelector('.results');
    } else {
      await page.fill(tab === 'choose' ? '#maxModelLen' : '#replicas, #maxReplicas', 'many');
      await page.waitForSelector('.problem');
    }
    await page.evaluate(axeSource);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const violations = await page.evaluate(async () => {
        const axe = (globalThis as unknown as { axe: { run: (options: RunOptions) => Promise<AxeResults> } })
          .axe;
        const found = await axe.run({ resultTypes: ['violations'], preload: false });
        return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
      });
      expect(violations).toEqual([]);
    }
  });
});

test('nothing is wider than a screen of 360 pixels, and nothing moves while the page loads', async () => {
  await open('', { viewport: { width: 360, height: 740 } });
  const shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => {
          resolve(sum);
        }, 200);
      }),
  );
  expect(shift).toBe(0);
  for (const tab of ['Choose', 'Render', 'Check']) {
    await page.getByRole('tab', { name: tab }).click();
    if (tab === 'Check') {
      await page.getByRole('button', { name: 'Show an example' }).click();
      await page.waitForSelector('.results');
    }
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([tab, width]).toEqual([tab, 360]);
  }
});

test('the keyboard reaches everything in order', async () => {
  await open();
  const focused = (): Promise<string | undefined> => page.evaluate(() => document.activeElement?.id);
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('tab-choose');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('model');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowRight');
  expect(await focused()).toBe('tab-render');
  expect(await page.locator('#panel-render').isVisible()).toBe(true);
  await page.keyboard.press('End');
  expect(await focused()).toBe('tab-check');
  await page.keyboard.press('ArrowRight');
  expect(await focused()).toBe('tab-choose');
  await page.locator('#slice-ct6e-standard-4t-2x2').focus();
  await page.keyboard.press('ArrowDown');
  expect(await status('choose').textContent()).toContain('ct6e-standard-8t/2x4');
  await page.keyboard.press('ArrowLeft');
  expect(await status('choose').textContent()).toContain('ct6e-standard-4t/2x2');
});

test('a finding leads to its line', async () => {
  await open('tab=check');
  await page.getByRole('button', { name: 'Show an example' }).click();
  await page.waitForSelector('.results');
  const button = page.locator('.finding.error .line').first();
  const line = Number((await button.textContent())?.replace('Line ', ''));
  await button.click();
  const selected = await page
    .locator('#manifest')
    .evaluate((box: HTMLTextAreaElement) => [
      document.activeElement === box,
      box.value.slice(0, box.selectionStart).split('\n').length,
    ]);
  expect(selected).toEqual([true, line]);
  expect(await page.locator('.gutter .error').first().isVisible()).toBe(true);
});

test('an invalid number shows a message at its field, and the typed text stays', async () => {
  await open();
  const huge = '9'.repeat(300);
  await page.fill('#maxModelLen', huge);
  await page.waitForSelector('#maxModelLen-problem');
  expect(await page.inputValue('#maxModelLen')).toBe(huge);
  expect(await page.getAttribute('#maxModelLen', 'aria-invalid')).toBe('true');
  await page.getByRole('tab', { name: 'Render' }).click();
  expect(await page.locator('#panel-render .problems').textContent()).toContain('maxModelLen');
  await page.getByRole('tab', { name: 'Choose' }).click();
  expect(await page.inputValue('#maxModelLen')).toBe(huge);
});

test('broken YAML shows a message with its line, and the typed text stays', async () => {
  await open('tab=check');
  const broken = 'kind: Pod\nspec: [\n';
  await paste(broken);
  await page.waitForSelector('#panel-check .problems');
  expect(await page.locator('#panel-check .problems').textContent()).toMatch(/Line \d+ column \d+/);
  expect(await page.inputValue('#manifest')).toBe(broken);
});

test('the page responds while it checks 5 MB, and keeps the text', async () => {
  await open('tab=check');
  const one = readFileSync(path.join(root, 'dist', 'vllm-llama3-70b.k8s.yaml'), 'utf8');
  const copies = Math.ceil(5e6 / one.length);
  const many = Array.from({ length: copies }, (_, index) =>
    one.replaceAll('vllm-llama3-70b', `llama-${String(index)}`),
  ).join('---\n');
  expect(many.length).toBeGreaterThan(4e6);
  await pasteLong(many);
  await page.waitForFunction(() =>
    document.querySelector('#panel-check .status')?.textContent.includes('MB'),
  );
  // another tab works before the check ends
  await page.getByRole('tab', { name: 'Choose' }).click();
  await page.fill('#sequences', '16');
  expect(await status('choose').textContent()).toContain('hold the model');
  expect(await status('check').textContent()).toMatch(/^Checking/);
  await page.getByRole('tab', { name: 'Check' }).click();
  await page.waitForSelector('.results', { timeout: 250_000 });
  const last = many.trimEnd().split('\n');
  await page.locator('#long-manifest').evaluate((box) => {
    box.scrollTop = box.scrollHeight;
  });
  await page
    .getByText(last.at(-1)?.trim() ?? '')
    .last()
    .waitFor();
  expect(await page.locator('.gutter span').last().textContent()).toBe(String(last.length + 1));
  await page.getByRole('button', { name: 'Remove this text' }).click();
  expect(await page.locator('#manifest').isVisible()).toBe(true);
});

test('a text that is too long shows a message, and the text stays', async () => {
  await open('tab=check');
  await pasteLong('a: b\n'.repeat(4_100_000));
  await page.waitForFunction(() =>
    document.querySelector('#panel-check .status')?.textContent.includes('too much'),
  );
  expect(await page.locator('.viewer .row').first().textContent()).toBe('a: b');
});
