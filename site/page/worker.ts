import { type Checked, checkText } from './checking';

/** The script of the page as text, which a worker of a page that was opened as a file is made of; undefined in the worker. */
declare const PAGE_SOURCE: string | undefined;

/** What a worker answers. */
type Answer = { readonly checked: Checked } | { readonly failed: string };

function answerTo(yaml: string): Answer {
  try {
    return { checked: checkText(yaml) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

/** What a worker does: checks each text that it gets. */
export function work(): void {
  addEventListener('message', ({ data }: MessageEvent<string>) => {
    postMessage(answerTo(data));
  });
}

/** Checks texts one at a time, in the background. A new text stops the check of the one before. */
export class Checker {
  private worker: Worker | undefined;
  private busy = false;

  constructor(private readonly tell: (answer: Answer) => void) {}

  check(yaml: string): void {
    if (this.busy) this.stop();
    this.worker ??= this.start();
    this.busy = true;
    this.worker.postMessage(yaml);
  }

  /** Stops the check that runs, if any. */
  stop(): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.busy = false;
  }

  private start(): Worker {
    const address = URL.createObjectURL(new Blob([PAGE_SOURCE ?? ''], { type: 'text/javascript' }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      this.busy = false;
      this.tell(data);
    });
    worker.addEventListener('error', ({ message }) => {
      this.stop();
      this.tell({ failed: message });
    });
    return worker;
  }
}
