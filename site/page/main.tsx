import { render } from 'preact';
import { Page } from './ui/page';
import { work } from './worker';

const place = typeof document === 'undefined' ? undefined : document.getElementById('page');
if (place === undefined) work();
else if (place !== null) {
  place.replaceChildren();
  render(<Page />, place);
}
