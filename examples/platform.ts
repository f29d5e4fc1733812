import { type App } from 'cdk8s';
import { FlexStartQueued } from './flex-start-queued';
import { PlatformV5eSaxml } from './platform-v5e-saxml';
import { VllmLlama370bFlex } from './vllm-llama3-70b-flex';

/** Adds the infrastructure and capacity that a platform team owns, in a separate folder. */
export function addPlatform(app: App): void {
  new PlatformV5eSaxml(app);
  new VllmLlama370bFlex(app);
  new FlexStartQueued(app);
}
