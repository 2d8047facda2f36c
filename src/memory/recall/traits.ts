import { saysWhen } from './dates.js';
import type { Said } from './messages.js';

/** What is known of a text beside its terms, as bits. */
export const FLAG = { when: 1, question: 2, number: 4, proper: 8, user: 16, assistant: 32, reason: 64 } as const;

/** A name called out where nothing else can stand: behind a comma at the end, behind a greeting. */
const CALLED =
  /(?:, (\p{Lu}\p{Ll}{1,15})(?=[!.?,]|$))|(?:\b(?:[Hh]ey|[Hh]i|[Hh]ello|[Oo]h|[Dd]ear|[Tt]hanks|[Tt]hank you|[Bb]ye|[Ww]ow|[Cc]ongrats|[Cc]ongratulations|[Yy]eah|[Mm]orning|[Nn]ight|[Tt]ake care|[Ss]orry|[Gg]ood luck),? (\p{Lu}\p{Ll}{1,15})\b)|(?:(?:^|[，。！？])((?:小|老|阿)[\u4e00-\u9fff])(?=[，。！？]))/gu;
/** A single word where a name can be called, and much else: counts half. */
const PERHAPS_CALLED = /(?:^|[.!?] )(\p{Lu}\p{Ll}{1,15})(?=[!?.,])/gu;
/** The names that a text calls out, each with how sure that is: 2 or 1. Reads its start only. */
export function callsIn(text: string): [string, number][] {
  const start = text.slice(0, 1_000);
  return [
    ...[...start.matchAll(CALLED)].map(([, ended, greeted, chinese]): [string, number] => [
      ended ?? greeted ?? chinese ?? '',
      2,
    ]),
    ...[...start.matchAll(PERHAPS_CALLED)].map(([, name = '']): [string, number] => [name, 1]),
  ];
}

/** What is known of a text, as `FLAG` bits. */
export function flagsOf(said: Said): number {
  const { text } = said;
  const role = said.role === 'user' ? FLAG.user : said.role === 'assistant' ? FLAG.assistant : 0;
  return (
    role |
    (saysWhen(text) ? FLAG.when : 0) |
    (isMostlyQuestion(text) ? FLAG.question : 0) |
    (/\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|once|twice)\b|[一二两三四五六七八九十百千万]/i.test(
      text,
    )
      ? FLAG.number
      : 0) |
    (/[\p{Ll},;] \p{Lu}\p{Ll}+|“|"|《/u.test(text) ? FLAG.proper : 0) |
    (/\b(?:because|since|so that|reason|thanks to|inspired|wanted to|due to)\b|因为|由于|为了/i.test(text)
      ? FLAG.reason
      : 0)
  );
}

/** Whether a text ends in a question and tells little before it. */
function isMostlyQuestion(text: string): boolean {
  if (!/[?？]\s*$/.test(text)) return false;
  const told = text.replaceAll(/[^.!?。！？]*[?？]/g, '').trim();
  return told.length < text.length / 2;
}
