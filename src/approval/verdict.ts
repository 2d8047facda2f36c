import type { Words } from '../platform/words.js';
import type { ApprovalRule } from '../protocol/event.js';
import type { Access } from '../runner/tool.js';
import type { StoredRule } from './rules.js';

/** Settings that the policy reads at every decision. */
export interface ApprovalSettings {
  mode: 'ask' | 'auto' | 'readonly' | 'all';
  /** `before`: in mode `ask`, edits in the workspace are shown and asked first. */
  approveEdits: 'after' | 'before';
  /** Words of commands that run without asking (`nanobot.exec.allow`). */
  execAllow: readonly string[];
  /** Words of commands that never run (`nanobot.exec.deny`). */
  execDeny: readonly string[];
  restrictToWorkspace: boolean;
}

/** Modes from loose to strict. */
const STRICTNESS: readonly ApprovalSettings['mode'][] = ['all', 'auto', 'ask', 'readonly'];

/** The settings of a chat that chose a mode of its own: it holds only where it is the stricter one. */
export function tightened(settings: ApprovalSettings, mode: ApprovalSettings['mode'] | undefined): ApprovalSettings {
  const isStricter = mode !== undefined && STRICTNESS.indexOf(mode) > STRICTNESS.indexOf(settings.mode);
  return isStricter ? { ...settings, mode } : settings;
}

/** What the policy knows of the turn that a call belongs to. */
export interface TurnFacts {
  sessionKey: string;
  /** False for schedules, heartbeats and subagents: nobody can answer. */
  watched: boolean;
  /** What was chosen for this chat; it can only tighten. */
  approval?: ApprovalSettings['mode'] | undefined;
  /** Text from outside (web, MCP, files out of the workspace) has entered the turn. */
  untrusted: boolean;
  /** Absolute paths that the turn wrote after that. */
  wroteFromUntrusted: readonly string[];
}

export type Verdict =
  | { kind: 'allow' }
  | {
      kind: 'ask';
      title: string;
      detail: string;
      /** Why it is asked beyond the ordinary; empty for the ordinary case. */
      reasons: string[];
      diff?: string;
      /** What "Allow always…" offers; empty where only this once is offered. */
      rules: ApprovalRule[];
    }
  /** `reason` is for the model and for the person, with the next step. */
  | { kind: 'deny'; reason: string };

/**
 * `free`: allowed in every mode. `edit`: a change in the workspace, free in `ask` unless edits are approved first. `ordinary`: asked in `ask`.
 * `dangerous`: asked in `auto` too. `refused`: denied in every mode.
 */
export type Grade = 'free' | 'edit' | 'ordinary' | 'dangerous' | 'refused';

/** Rules that can be offered, by id. */
export type Offers = ReadonlyMap<string, { label: Words; rule: StoredRule }>;

/** What one access of a call amounts to. */
export interface Finding {
  access: Access;
  grade: Grade;
  title: Words;
  detail: string;
  reasons: Words[];
  /** Why it is refused, with the next step, for the model; only with grade `refused`. */
  refusal?: string;
  /** True where it can carry text out of the machine. */
  sendsOut: boolean;
  /** True where a person's rule covers it. */
  allowed: boolean;
  offers: Offers;
}

/** The beginning of every refusal that no mode lifts. */
export function blockedText(reason: string): string {
  return `Blocked in every mode: ${reason} Do not try it in another way; if it is really wanted, tell the person the command so that they run it themselves.`;
}

/** Why a path outside is refused where the person wants the agent kept within the workspace. */
export function restrictedText(path: string): string {
  return `${path} lies outside the workspace, and nanobot.restrictToWorkspace refuses that. Stay within the workspace, or ask the person to change the setting.`;
}
