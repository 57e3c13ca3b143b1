/** Dependencies of the actions. */
import type { Client } from '../../data/client/client.ts';
import type { ComparisonStore } from '../../state/comparison.ts';
import type { ConnectionStore, PageIds } from '../../state/connection.ts';
import type { DialogsStore } from '../../state/dialogs.ts';
import type { HandbookStore } from '../../state/handbook.ts';
import type { LayoutStore } from '../../state/layout/store.ts';
import type { LibraryStore } from '../../state/library.ts';
import type { NoticesStore } from '../../state/notices.ts';
import type { PlaybackStore } from '../../state/playback.ts';
import type { QuestionsStore } from '../../state/questions.ts';
import type { RunsStore, TracingStore, WhatIfStore } from '../../state/runs.ts';
import type { PresenceStore, ScenarioStore, UserKernelStore } from '../../state/scenario.ts';
import type { ImageViewStore, SelectionStore } from '../../state/selection.ts';
import type { TimelinesStore } from '../../state/timelines.ts';
import type { AppearanceStore, ZoomStore } from '../../state/view.ts';

export interface Stores {
  readonly connection: ConnectionStore;
  readonly scenario: ScenarioStore;
  readonly runs: RunsStore;
  readonly comparison: ComparisonStore;
  readonly selection: SelectionStore;
  readonly image: ImageViewStore;
  readonly playback: PlaybackStore;
  readonly appearance: AppearanceStore;
  readonly window: ZoomStore;
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
