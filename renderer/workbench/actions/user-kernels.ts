/** User kernels are files next to the scenario. Before they run, the user confirms that they are trusted. */
import { BraggError } from '../../../electron/contract/errors.ts';
import type { FileRef } from '../../../electron/contract/files.ts';
import { isUserKernelId, type UserKernelInfo } from '../../../electron/contract/user-kernels.ts';
import { countText } from '../../../electron/domain/values/units.ts';
import { latestRequest } from '../../base/latest-request.ts';
import { sameJson } from '../../base/same-json.ts';
import type { ActionContext } from './context.ts';

export interface UserKernelActions {
  /** Reloads the list, and adds its variants to the shipped ones. */
  refresh(): Promise<void>;
  /** Asks the user for trust, unless already given. Returns false if denied. */
  trust(id: string): Promise<boolean>;
  /**
   * Performs an action that the host may reject without trust. If so, asks for trust and repeats the action. Returns
   * null if the user declines.
   */
  withTrust<T>(work: () => Promise<T>): Promise<T | null>;
}

export function createUserKernelActions({ client, stores }: ActionContext): UserKernelActions {
  const { userKernels, scenario, connection, dialogs, notices } = stores;

  /** Latest request; late responses to earlier ones are ignored. */
  let newest: Promise<void> = Promise.resolve();
  const ask = latestRequest();

  function refresh(): Promise<void> {
    newest = list();
    return newest;
  }

  async function list(): Promise<void> {
    const isLast = ask();
    const file = scenario.getState().file?.file ?? null;
    // Reuse the previous object for an equal location, because the editor reloads if the object changes.
    const { scenarioFile: before } = userKernels.getState();
    const scenarioFile = sameJson(file, before) ? before : file;
    try {
      const { variants, listed, troubles: unusable } = await client.call('userKernels.list', { beside: scenarioFile });
      if (!isLast()) return await newest;
      userKernels.setState({ scenarioFile, variants, unusable });
      connection.setState(({ capabilities }) => {
        const shipped = capabilities.variants.filter(({ id }) => !isUserKernelId(id));
        return { capabilities: { ...capabilities, variants: [...shipped, ...listed] } };
      });
    } catch (error) {
      notices.fail('The user kernels could not be listed', error);
    }
  }

  async function trust(id: string): Promise<boolean> {
    const { scenarioFile } = userKernels.getState();
    await refresh();
    const info = userKernels.getState().variants.find((one) => one.id === id);
    if (info === undefined) return false;
    if (info.trusted) return true;
    const answer = info.answer === null ? await askForKernel(info) : await askForProblem(info, info.answer);
    if (answer === null) return false;
    await answer(scenarioFile);
    await refresh();
    return true;
  }

  type RequestWithFile = (beside: FileRef | null) => Promise<unknown>;
  const rights = 'It is code that runs with your rights: it can read and change your files.';
  const hash = ({ sha256 }: UserKernelInfo): string => `SHA-256 ${sha256.slice(0, 16)}…`;

  async function askForKernel(info: UserKernelInfo): Promise<RequestWithFile | null> {
    const { id, place, sha256 } = info;
    const { base, replaces } = info.description;
    const answer = await dialogs.ask('confirm', {
      title: `Do you trust ${id}?`,
      text:
        `${rights} It replaces ${replaces} in ${base} and is stored at ${place}. Trust it only if you wrote it or have ` +
        `read it. You must confirm again when it changes. ${hash(info)}`,
      // Not the default button, so that Enter alone never gives trust.
      choices: [
        { id: 'trust', label: 'I trust it' },
        { id: 'no', label: 'Do not run it', tone: 'primary' },
      ],
    });
    return answer === 'trust' ? (beside) => client.call('userKernels.trust', { beside, id, sha256 }) : null;
  }

  /** One question covers a whole problem folder, because its reference program runs with each of its candidates. */
  async function askForProblem(
    { description, place }: UserKernelInfo,
    reference: string,
  ): Promise<RequestWithFile | null> {
    const requested = userKernels.getState().variants.filter((one) => one.answer !== null && !one.trusted);
    const folder = place.replace(/[\\/][^\\/]*$/, '');
    const answer = await dialogs.ask('confirm', {
      title: `Do you trust the problem ${description.bench}?`,
      text:
        `${rights} In ${folder} are ${reference}, which computes the expected results, and ${countText(requested.length, 'candidate')}: ` +
        `${requested.map((one) => `${one.id} (${hash(one)})`).join(', ')}. Trust them only if you wrote them or have read them. You ` +
        'must confirm again when they change. If you also trust agents, braggbench mcp runs kernels that coding agents submit to ' +
        'this folder and that nobody has read, until the problem or its reference changes.',
      choices: [
        { id: 'agents', label: 'I trust them, and agents' },
        { id: 'trust', label: 'I trust them' },
        { id: 'no', label: 'Do not run them', tone: 'primary' },
      ],
    });
    if (answer !== 'trust' && answer !== 'agents') return null;
    const kernels = requested.map(({ id, sha256 }) => ({ id, sha256 }));
    return (beside) => client.call('userKernels.trustFolder', { beside, kernels, submissions: answer === 'agents' });
  }

  return {
    refresh,
    trust,
    async withTrust(work) {
      // If several kernels are untrusted, ask once for each.
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof BraggError) || error.code !== 'untrusted') throw error;
          // The host's error message begins with the file name.
          const [id = ''] = error.message.split(' ');
          if (!(await trust(id))) return null;
        }
      }
    },
  };
}
