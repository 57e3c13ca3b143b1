/** User kernels: their files next to the scenario, and the question whether the user trusts them. */
import { sameVariant, type Variant } from '../../electron/contract/capabilities.ts';
import { BraggError } from '../../electron/contract/errors.ts';
import { isUserKernelId, type UserKernelInfo } from '../../electron/contract/user-kernels.ts';
import { lastAsked } from '../base/last-asked.ts';
import { sameJson } from '../base/same-json.ts';
import type { ActionContext } from './context.ts';

export interface UserKernelActions {
  /** Reloads the list, and adds its variants to the others. */
  refresh(): Promise<void>;
  /** Asks the user unless they have said it already. False: they do not trust it. */
  trust(id: string): Promise<boolean>;
  /** Does what may be refused for want of trust, once more after the user has given it. Null: they did not. */
  trusting<T>(work: () => Promise<T>): Promise<T | null>;
}

/** As the host lists it too. */
function variantOf(info: UserKernelInfo, base: Variant): Variant {
  const { title, changes, replaces } = info.description;
  const says = changes || `Own code for ${replaces}`;
  return { ...base, id: info.id, title, changes: says, buildsOn: base.id, source: info.id };
}

export function createUserKernelActions({ client, stores }: ActionContext): UserKernelActions {
  const { userKernels, scenario, connection, dialogs, notices } = stores;

  /** The newest question: an answer to an older one, which may come later, is not taken. */
  let newest: Promise<void> = Promise.resolve();
  const ask = lastAsked();

  function refresh(): Promise<void> {
    newest = list();
    return newest;
  }

  async function list(): Promise<void> {
    const isLast = ask();
    const file = scenario.getState().file?.file ?? null;
    // An equal location reuses the same object: the editor reloads when the object changes.
    const { beside: before } = userKernels.getState();
    const beside = sameJson(file, before) ? before : file;
    try {
      const { variants, troubles } = await client.call('userKernels.list', { beside });
      if (!isLast()) return await newest;
      userKernels.setState({ beside, variants, troubles });
      connection.setState(({ capabilities }) => {
        const shipped = capabilities.variants.filter(({ id }) => !isUserKernelId(id));
        const mine = variants.flatMap((info) => {
          const { workload, bench, base: id } = info.description;
          const base = shipped.find((one) => sameVariant(one, { workload, bench, id }));
          return base === undefined ? [] : [variantOf(info, base)];
        });
        return { capabilities: { ...capabilities, variants: [...shipped, ...mine] } };
      });
    } catch (error) {
      notices.fail('The user kernels could not be listed', error);
    }
  }

  async function trust(id: string): Promise<boolean> {
    const { beside } = userKernels.getState();
    await refresh();
    const info = userKernels.getState().variants.find((one) => one.id === id);
    if (info === undefined) return false;
    if (info.trusted) return true;
    const { base, replaces, answer: program } = info.description;
    const runsToo = program === '' ? '' : ` ${program}, which gives its expected answer, runs too.`;
    const answer = await dialogs.ask('confirm', {
      title: `Do you trust ${id}?`,
      text:
        `It is code, and it runs with your rights: it can read and change your files. It takes the place of ${replaces} ` +
        `in ${base} and lies at ${info.place}.${runsToo} Trust it if you wrote it or have read it. You are asked again when it ` +
        `changes. SHA-256 ${info.sha256.slice(0, 16)}…`,
      // Enter alone trusts nothing.
      choices: [
        { id: 'trust', label: 'I trust it' },
        { id: 'no', label: 'Do not run it', tone: 'primary' },
      ],
    });
    if (answer !== 'trust') return false;
    await client.call('userKernels.trust', { beside, id, sha256: info.sha256 });
    await refresh();
    return true;
  }

  return {
    refresh,
    trust,
    async trusting(work) {
      // If several kernels are untrusted, one question follows another.
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof BraggError) || error.code !== 'untrusted') throw error;
          // The host's sentence begins with the file's name.
          const [id = ''] = error.message.split(' ');
          if (!(await trust(id))) return null;
        }
      }
    },
  };
}
