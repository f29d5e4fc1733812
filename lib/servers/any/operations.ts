import { type Kubectl, type Operations } from '../../operations/operations';
import { licenceNote, type ServerNames, serverOperations } from '../operations';
import { type TpuServerProps } from './props';

/** Returns the requirements of a server with any image, and the steps to run and call it. */
export const tpuServerOperations =
  (
    server: ServerNames,
    props: TpuServerProps,
    facts: {
      readonly port: number;
      readonly startupSeconds: number;
      readonly notes: readonly string[];
      readonly container: string;
      readonly healthPath: string;
    },
  ) =>
  (kubectl: Kubectl): Operations => {
    const { model, huggingFaceToken, request } = props;
    return {
      ...serverOperations(kubectl, server, props, {
        ...facts,
        containers: [facts.container],
        call: request ?? { path: facts.healthPath },
        load: request,
      }),
      notes: [...(huggingFaceToken && model !== undefined ? [licenceNote(model)] : []), ...facts.notes],
    };
  };
