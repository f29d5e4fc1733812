import { type ComponentChildren, createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { type Problem, textOf } from '../../../lib/problems/problems';
import { type Choice, type Field, fieldOf } from '../choice';

/** What fields show, and what they call. */
export interface Form {
  readonly choice: Choice;
  readonly problems: readonly Problem[];
  readonly set: (changes: Partial<Choice>) => void;
}

export const FormContext = createContext<Form | undefined>(undefined);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === undefined) throw new Error('a field is outside of the page');
  return form;
}

interface FieldProps {
  readonly field: Field;
  readonly label: string;
  readonly hint?: string;
}

/** What a field of either kind needs for its label, its hint and its problems. */
function useField({ field, hint }: FieldProps): {
  readonly value: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly problems: readonly string[];
  readonly set: (text: string) => void;
} {
  const { choice, problems, set } = useForm();
  const own = problems.filter((problem) => fieldOf(problem) === field).map(textOf);
  const described = [
    ...(hint === undefined ? [] : [`${field}-hint`]),
    ...(own.length > 0 ? [`${field}-problem`] : []),
  ];
  return {
    value: choice[field],
    problems: own,
    attributes: {
      id: field,
      name: field,
      'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
      'aria-invalid': own.length > 0 ? 'true' : undefined,
    },
    set: (text) => {
      set({ [field]: text });
    },
  };
}

function Labelled({
  field,
  label,
  hint,
  problems,
  children,
}: FieldProps & { readonly problems: readonly string[]; readonly children: ComponentChildren }): VNode {
  return (
    <div class="field">
      <label for={field}>{label}</label>
      {children}
      {hint !== undefined && (
        <p class="hint" id={`${field}-hint`}>
          {hint}
        </p>
      )}
      {problems.length > 0 && (
        <p class="problem" id={`${field}-problem`}>
          {problems.join(' ')}
        </p>
      )}
    </div>
  );
}

/** A field for a text or a number; numbers are texts too, so that nothing that was typed is lost. */
export function TextField(props: FieldProps & { readonly numeric?: boolean }): VNode {
  const { value, attributes, problems, set } = useField(props);
  return (
    <Labelled {...props} problems={problems}>
      <input
        {...attributes}
        type="text"
        inputMode={props.numeric === true ? 'decimal' : 'text'}
        autoComplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => {
          set(event.currentTarget.value);
        }}
      />
    </Labelled>
  );
}

/** A field with some words to choose from, each with its label. */
export function SelectField(
  props: FieldProps & { readonly words: readonly (readonly [word: string, label: string])[] },
): VNode {
  const { value, attributes, problems, set } = useField(props);
  return (
    <Labelled {...props} problems={problems}>
      <select
        {...attributes}
        value={value}
        onChange={(event) => {
          set(event.currentTarget.value);
        }}
      >
        {props.words.map(([word, label]) => (
          <option key={word} value={word} selected={word === value}>
            {label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** Problems that are not about one field that is on the screen. */
export function Problems({ shown }: { readonly shown: readonly Field[] }): VNode | null {
  const { problems } = useForm();
  const others = problems.filter((problem) => {
    const field = fieldOf(problem);
    return field === undefined || !shown.includes(field);
  });
  if (others.length === 0) return null;
  return (
    <ul class="problems">
      {others.map((problem) => (
        <li key={textOf(problem)}>{textOf(problem)}</li>
      ))}
    </ul>
  );
}
