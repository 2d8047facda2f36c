import type { Settings } from '../config/schema.js';
import type { ModelInfo } from '../protocol/event.js';
import type { ThinkingEffort } from '../providers/provider.js';

type Profile = Settings['profiles'][string];

/** What a person chose for one chat; what is absent follows the settings. */
export interface ModelChoice {
  /** `provider/model`, or `auto`. */
  model?: string;
  thinking?: ThinkingEffort;
  temperature?: number;
  /** Holds where it is stricter than what is set for all chats. */
  approval?: 'ask' | 'readonly';
  /** The profile it came from, by its name. */
  profile?: string;
}

/** A change of a choice: undefined takes a part of it back. */
export type ChoiceChange = { [Part in keyof ModelChoice]?: ModelChoice[Part] | undefined };

/** Where what was chosen for chats that have not begun outlives the process. */
export interface EarlyChoices {
  load(key: string): Record<string, unknown> | undefined;
  /** Undefined once the chat has begun, or follows the settings again. */
  save(key: string, choice: ModelChoice | undefined): void;
}

export const EFFORTS: readonly ThinkingEffort[] = ['off', 'low', 'medium', 'high'];

/** The choice in a session's metadata; what is damaged counts as none. */
export function choiceIn(metadata: Record<string, unknown>): ModelChoice {
  const { model, thinking, temperature, approval, profile } = metadata;
  const effort = EFFORTS.find((each) => each === thinking);
  return {
    ...(typeof model === 'string' && model.trim() !== '' ? { model } : {}),
    ...(effort ? { thinking: effort } : {}),
    ...(typeof temperature === 'number' && temperature >= 0 && temperature <= 2 ? { temperature } : {}),
    ...(approval === 'ask' || approval === 'readonly' ? { approval } : {}),
    ...(typeof profile === 'string' ? { profile } : {}),
  };
}

/** Everything of a profile, and nothing of what was chosen before. */
export function profileChoice(name: string, { model, thinking, temperature, approval }: Profile): ChoiceChange {
  return { model, thinking, temperature, approval, profile: name };
}

/** What takes a whole choice back. */
export const NO_CHOICE: ChoiceChange = {
  model: undefined,
  thinking: undefined,
  temperature: undefined,
  approval: undefined,
  profile: undefined,
};

/** What a subagent has of the choice of the chat it works for, beside its model. */
export function inherited({ thinking, temperature, approval }: ModelChoice): Record<string, unknown> {
  return { thinking, temperature, approval };
}

/** How a turn's requests are made beside their words. */
export function tuningOf(
  settings: Pick<Settings, 'thinking' | 'temperature'>,
  choice: ModelChoice,
): { thinking?: ThinkingEffort; temperature?: number } {
  const set = settings.thinking === 'auto' ? undefined : settings.thinking;
  const thinking = choice.thinking ?? set;
  const temperature = choice.temperature ?? settings.temperature;
  return { ...(thinking ? { thinking } : {}), ...(temperature === null ? {} : { temperature }) };
}

/** A model as the page shows it in a chat with this choice. */
export function shownAs(
  info: ModelInfo,
  { model, profile, approval }: ModelChoice,
  thinking?: ThinkingEffort,
): ModelInfo {
  return {
    ...info,
    ...(model === undefined ? {} : { own: true }),
    ...(thinking ? { thinking } : {}),
    ...(profile === undefined ? {} : { profile }),
    ...(approval === undefined ? {} : { approval }),
  };
}
