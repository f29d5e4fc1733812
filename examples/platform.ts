import { type App } from 'cdk8s';
import { FlexStartQueued } from './flex-start-queued';
import { PlatformV5eSaxml } from './platform-v5e-saxml';
import { VllmLlama370bFlex } from './vllm-llama3-70b-flex';

/** Adds what a platform team owns: infrastructure and capacity, apart from the servers, in a folder of its own. */
export function addPlatform(app: App): void {
  new PlatformV5eSaxml(app);
  new VllmLlama370bFlex(app);
  new FlexStartQueued(app);
}
