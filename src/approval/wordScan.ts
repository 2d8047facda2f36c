import type { Words } from '../platform/words.js';
import { bareCommand, type ParsedLine, type SimpleCommand, type Word } from './shellTypes.js';

/** Longer lines are looked at only so far. Characters. */
const MAX_SCAN = 100_000;

/**
 * A rough reading of a line that no grammar reads: PowerShell, or a POSIX line that is unparsable. It takes the line apart at separators outside
 * of quotes and says what its commands may be. Good enough to refuse or to ask, never to allow: every command is marked a guess.
 */
export function scanLine(line: string): Extract<ParsedLine, { kind: 'parsed' }> {
  const commands: SimpleCommand[] = [];
  let pipedFrom: SimpleCommand[] = [];
  for (const segment of segmentsOf(line.slice(0, MAX_SCAN))) {
    const words = segment.words.map(wordOf);
    while (
      words[0] &&
      /^(&|\.|sudo|doas|then|do|else|!|time|exec|command|env|nohup|cmd|\/c|[A-Za-z_]\w*=.*)$/i.test(words[0].text)
    ) {
      if (/^(sudo|doas)$/i.test(words[0].text)) commands.push({ ...bareCommand(words.slice(0, 1)), guess: true });
      words.shift();
    }
    if (!segment.piped) pipedFrom = [];
    const targets = segment.targets.map((text) => ({ operator: '>', target: wordOf(text), writes: true }));
    const command = { ...bareCommand(words), redirections: targets, pipedFrom, guess: true };
    commands.push(command);
    pipedFrom = [...pipedFrom, command];
  }
  const forkBomb = /:\(\)\{:\|:&\};?:/.test(line.replace(/\s/g, ''));
  return { kind: 'parsed', commands, variables: new Map(), forkBomb };
}

interface Segment {
  words: string[];
  targets: string[];
  piped: boolean;
}

/** Commands between `;`, `|`, `&`, newlines and brackets; quotes hold together unless they are never closed. */
function segmentsOf(line: string): Segment[] {
  const segments: Segment[] = [];
  let segment: Segment = { words: [], targets: [], piped: false };
  let target = false;
  const finish = (piped: boolean) => {
    if (segment.words.length + segment.targets.length > 0) segments.push(segment);
    segment = { words: [], targets: [], piped };
    target = false;
  };
  const token = /"[^"]*"(?=[\s;|&(){},]|$)|'[^']*'(?=[\s;|&(){},]|$)|\d?>>?|[;|&\n(){}`,]|[^\s;|&(){}`,>]+/g;
  for (const [text] of line.matchAll(token)) {
    if (/^\d?>>?$/.test(text)) target = true;
    else if (/^[;|&\n(){}`]$/.test(text)) finish(text === '|');
    else if (text !== ',') {
      (target ? segment.targets : segment.words).push(text.replace(/["'^]/g, ''));
      target = false;
    }
  }
  finish(false);
  return segments;
}

/** PowerShell's and cmd's ways of writing the home folder become `${HOME}`, backslashes slashes: both separate folders there. */
function wordOf(text: string): Word {
  const home = text.replace(/\$\{?home\}?|\$\{?env:(userprofile|home)\}?|%userprofile%/gi, '${HOME}');
  const drive = home.replace(/\$\{?env:systemdrive\}?|%systemdrive%/gi, 'C:');
  return {
    text: drive.replaceAll('\\', '/'),
    dynamic: /[$%]\w|\$\{/.test(drive),
    pattern: /[*?[]/.test(drive),
    tilde: drive.startsWith('~'),
  };
}

/** Features of PowerShell and cmd that hide or change what runs. */
export function powershellDangers(line: string): Words[] {
  const reasons: Words[] = [];
  if (/`|\$\(|[&.]\s*[($"']|\[[\w.]+\]::|frombase64|-enc|-join|\s-f\s/i.test(line))
    reasons.push((t) => t('Hides what it runs'));
  if (/\b(iex|invoke-expression|invoke-command|start-process|start-job|add-type)\b/i.test(line))
    reasons.push((t) => t('Runs text or programs of its own making'));
  if (/\b(set-executionpolicy|reg|regedit|schtasks|sc|net|bcdedit|vssadmin|takeown|icacls)(\.exe)?\b/i.test(line)) {
    reasons.push((t) => t("Changes the system's settings"));
  }
  return reasons;
}
