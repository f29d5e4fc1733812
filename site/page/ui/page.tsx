import { type VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Choice, choiceOf, fragmentOf } from '../choice';
import { forServer, render } from '../render';
import { type Sizing, sizingOf } from '../sizing';
import { Check } from './check';
import { Choose } from './choose';
import { type Form, FormContext } from './fields';
import { Render } from './render';

const TABS = [
  ['choose', 'Choose'],
  ['render', 'Render'],
  ['check', 'Check'],
] as const;
type Tab = (typeof TABS)[number][0];

const isTab = (text: string | null): text is Tab => TABS.some(([tab]) => tab === text);

/** The tab of a fragment. */
function tabOf(fragment: string): Tab {
  const tab = new URLSearchParams(fragment.replace(/^#/, '')).get('tab');
  return isTab(tab) ? tab : 'choose';
}

function Tabs({ tab, onTab }: { readonly tab: Tab; readonly onTab: (tab: Tab) => void }): VNode {
  const move = (event: KeyboardEvent): void => {
    const at = TABS.findIndex(([one]) => one === tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
    const next = to === undefined ? undefined : TABS.at(to % TABS.length)?.[0];
    if (next === undefined) return;
    event.preventDefault();
    onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div role="tablist" aria-label="Steps" onKeyDown={move}>
      {TABS.map(([one, label]) => (
        <button
          key={one}
          type="button"
          role="tab"
          id={`tab-${one}`}
          aria-selected={one === tab}
          aria-controls={`panel-${one}`}
          tabIndex={one === tab ? 0 : -1}
          onClick={() => {
            onTab(one);
          }}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

/** The sizing of a choice. An error that nobody expected is shown, and the page stays. */
function trySizing(choice: Choice): Sizing {
  try {
    return sizingOf(choice);
  } catch (error) {
    const problem = `cannot be computed: ${error instanceof Error ? error.message : String(error)}`;
    return {
      problems: [{ path: '', problem }],
      groups: [],
      chosen: undefined,
      memory: undefined,
      weightsGB: undefined,
    };
  }
}

/** The choice and the tab, which the fragment of the address restores. */
function useAddress(): {
  readonly choice: Choice;
  readonly tab: Tab;
  readonly set: (change: (current: Choice) => Choice) => void;
  readonly show: (tab: Tab) => void;
} {
  const [choice, set] = useState(() => choiceOf(location.hash));
  const [tab, show] = useState(() => tabOf(location.hash));
  useEffect(() => {
    const fragment = [`tab=${tab}`, fragmentOf(choice)].filter((part) => part !== '').join('&');
    history.replaceState(null, '', `#${fragment}`);
  }, [choice, tab]);
  useEffect(() => {
    const restore = (): void => {
      set(choiceOf(location.hash));
      show(tabOf(location.hash));
    };
    addEventListener('hashchange', restore);
    return () => {
      removeEventListener('hashchange', restore);
    };
  }, []);
  return { choice, tab, set, show };
}

function Head({ tab, onTab }: { readonly tab: Tab; readonly onTab: (tab: Tab) => void }): VNode {
  return (
    <header>
      <h1>Serve models on Cloud TPUs</h1>
      <p class="hint">
        Size a model, render its manifests and check YAML in this browser. No data leaves it.
      </p>
      <Tabs tab={tab} onTab={onTab} />
    </header>
  );
}

function Foot(): VNode {
  return (
    <footer>
      <p class="hint">
        Made with <a href="../index.html">cdk8s-tpu-serving</a>. Licenses of what the page contains:{' '}
        <a href="licenses.txt">licenses.txt</a>.
      </p>
    </footer>
  );
}

/** The whole page. All tabs stay in the document, so that nothing that was typed is lost. */
export function Page(): VNode {
  const { choice, tab, set, show } = useAddress();
  const [given, give] = useState<{ readonly yaml: string }>();
  const sizing = useMemo(() => trySizing(forServer(choice)), [choice]);
  const rendered = useMemo(() => (tab === 'render' ? render(choice) : undefined), [choice, tab]);
  const form = (problems: Form['problems']): Form => ({
    choice,
    problems,
    set: (changes) => {
      // two changes can come before the page is drawn again
      set((current) => ({ ...current, ...changes }));
    },
  });
  const panel = (one: Tab): Readonly<Record<string, unknown>> => ({
    role: 'tabpanel',
    id: `panel-${one}`,
    'aria-labelledby': `tab-${one}`,
    hidden: one !== tab,
  });
  return (
    <>
      <Head tab={tab} onTab={show} />
      <main>
        <div {...panel('choose')}>
          <FormContext.Provider value={form(sizing.problems)}>
            <Choose
              sizing={sizing}
              onRender={() => {
                show('render');
              }}
            />
          </FormContext.Provider>
        </div>
        <div {...panel('render')}>
          {rendered !== undefined && (
            <FormContext.Provider value={form(rendered.problems)}>
              <Render
                rendered={rendered}
                slice={sizing.chosen?.toString()}
                onCheck={(yaml) => {
                  give({ yaml });
                  show('check');
                }}
              />
            </FormContext.Provider>
          )}
        </div>
        <div {...panel('check')}>
          <Check given={given} />
        </div>
      </main>
      <Foot />
    </>
  );
}
