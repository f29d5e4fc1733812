import { type ApiObject } from 'cdk8s';
import { type Construct } from 'constructs';
import { RUNTIME_PORTS } from '../facts/ports';
