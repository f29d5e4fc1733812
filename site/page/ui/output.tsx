import { type VNode } from 'preact';
import { useState } from 'preact/hooks';

/** Copies a text. A browser that refuses says so, and the text can still be selected. */
export async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied.';
  } catch {
    return 'The browser does not allow copying: select the text and copy it yourself.';
  }
}

/** Saves a text as a file. */
function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A text to read, to copy and to download. */
export function Output({
  id,
  title,
  file,
  text,
}: {
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly text: string;
}): VNode {
  const [said, say] = useState('');
  return (
    <div class="output">
      <div class="output-head">
        <h3>{title}</h3>
        <span role="status" class="said">
          {said}
        </span>
        <button
          type="button"
          aria-label={`Copy ${title}`}
          disabled={text === ''}
          onClick={() => {
            void copy(text).then(say);
          }}
        >
          Copy
        </button>
        <button
          type="button"
          aria-label={`Download ${file}`}
          disabled={text === ''}
          onClick={() => {
            download(file, text);
          }}
        >
          Download
        </button>
      </div>
      <pre id={id} tabIndex={0} role="region" aria-label={title}>
        <code>{text}</code>
      </pre>
    </div>
  );
}
