/** Dependencies of the actions. */
import type { Client } from '../client/index.ts';
import type { ComparisonStore } from '../state/comparison.ts';
import type { ConnectionStore } from '../state/connection.ts';
import type { DialogsStore } from '../state/dialogs.ts';
import type { HandbookStore } from '../state/handbook.ts';
import type { ImageViewStore } from '../state/image-view.ts';
import type { LayoutStore } from '../state/layout/store.ts';
import type { LibraryStore } from '../state/library.ts';
import type { NoticesStore } from '../state/notices.ts';
import type { PageIds } from '../state/page-id.ts';
import type { PlaybackStore } from '../state/playback.ts';
import type { PresenceStore } from '../state/presence.ts';
import type { QuestionsStore } from '../state/questions.ts';
import type { RunsStore } from '../state/runs.ts';
import type { ScenarioStore } from '../state/scenario.ts';
import type { SelectionStore } from '../state/selection.ts';
import type { TimelinesStore } from '../state/timelines.ts';
import type { TracingStore } from '../state/tracing.ts';
import type { UserKernelStore } from '../state/user-kernels.ts';
import type { AppearanceStore, WindowStore } from '../state/view.ts';
import type { WhatIfStore } from '../state/what-if.ts';

export interface Stores {
  readonly connection: ConnectionStore;
  readonly scenario: ScenarioStore;
  readonly runs: RunsStore;
  readonly comparison: ComparisonStore;
  readonly selection: SelectionStore;
  readonly image: ImageViewStore;
  readonly playback: PlaybackStore;
  readonly appearance: AppearanceStore;
  readonly window: WindowStore;
  readonly timelines: TimelinesStore;
  readonly handbook: HandbookStore;
  readonly layout: LayoutStore;
  readonly notices: NoticesStore;
  readonly dialogs: DialogsStore;
  readonly library: LibraryStore;
  readonly userKernels: UserKernelStore;
  readonly presence: PresenceStore;
  readonly tracing: TracingStore;
  readonly whatIf: WhatIfStore;
  readonly questions: QuestionsStore;
}

export interface ActionContext {
  readonly client: Client;
  readonly stores: Stores;
  readonly pages: PageIds;
}
