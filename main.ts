import { App } from 'cdk8s';
import { addExamples } from './examples';

const app = new App();
addExamples(app);
app.synth();
