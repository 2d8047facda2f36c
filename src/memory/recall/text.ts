import { stemOf, type WordTable } from './words.js';

/** Words that say nothing about a text's subject: English, then Chinese, Japanese and Korean. */
const STOP = new Set(
  `a an the and or but if then so than that this these those there here it its it's i i'm i'd i'll i've me my mine myself you you're your yours
  yourself he he's him his she she's her hers we we're us our ours they they're them their theirs what which who whom whose when where why how is
  am are was were be been being have has had having do does did done doing don't didn't doesn't isn't wasn't aren't can could can't couldn't will
  would won't wouldn't shall should shouldn't may might must of in on at by for with about into to from up down out off over under as not no nor
  too very just also such both each few more most other some any all only own same again once even ever still yet because while during
  between through after before above below until let let's lot really gonna wanna oh ah um uh hmm hey hi hello yeah yes yep ok okay well got get
  im ive dont didnt thats that's what's who's there's one ones thing things something anything s t re ve ll d m`
    .split(/\s+/)
    .concat(
      [...'的了是我你他她它在有和与就都也很吗呢吧啊哦嗯呀这那个们着过把被给让从到对为以及而但'],
      [...'はがをにのへとでもやねよかなだ'],
      '我们 你们 他们 她们 咱们 自己 什么 怎么 哪个 哪些 多少 这个 那个 这些 那些 一个 一下 一些 没有 不是 就是 还是 可以 已经 因为 所以 如果 但是 不过 然后 真的 时候 是不是 有没有'.split(
        ' ',
      ),
      'です ます した する して いる これ それ あれ どこ いつ だれ なに 何 から まで'.split(' '),
      '그리고 그러나 하지만 나는 너는 우리 그는 그녀 이것 그것 저것 언제 어디 누구 무엇 어떻게'.split(' '),
    ),
);

const WORD = /[\p{L}\p{N}]+(?:['’]\p{L}+)*/gu;
const EAST_ASIAN = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]/;
const EAST_ASIAN_RUN = /[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]+/g;
/** Longer runs are keys, hashes and encoded data, which nobody asks for in words. */
const LONGEST_WORD = 32;
const CACHED_STEMS = 40_000;

/** Marks a term made of two neighbouring characters, for text whose words cannot be told for certain. */
export const PAIR_MARK = '~';

/** Marks a term that is one character of such text: hardly a word, yet "跑" is found in "跑步". */
export const CHARACTER_MARK = '^';

/** Splits text into terms: stems of words, and for Chinese, Japanese and Korean segmented words beside pairs of characters. */
export class Terms {
  private readonly stems = new Map<string, string>();
  private readonly segmenters = new Map<string, Intl.Segmenter>();

  constructor(private readonly table: Pick<WordTable, 'base' | 'whole'>) {}

  /** All terms of a text in their order, with repeats, without stop words. */
  of(text: string): string[] {
    const terms: string[] = [];
    for (const [word] of text.matchAll(WORD)) {
      if (word.length > LONGEST_WORD && !EAST_ASIAN.test(word)) continue;
      if (EAST_ASIAN.test(word)) this.addEastAsian(word, terms);
      else this.addWord(word, terms);
    }
    return terms;
  }

  /** The stem of one word, lower case and without accents; undefined for a stop word. */
  stem(word: string): string | undefined {
    const known = this.stems.get(word);
    if (known !== undefined) return known === '' ? undefined : known;
    const stem = this.stemAnew(word);
    if (this.stems.size >= CACHED_STEMS) this.stems.clear();
    this.stems.set(word, stem);
    return stem === '' ? undefined : stem;
  }

  private stemAnew(word: string): string {
    let plain = word.toLowerCase().replaceAll('’', "'");
    if (STOP.has(plain)) return '';
    if (/[^\x20-\x7e]/.test(plain)) plain = plain.normalize('NFD').replaceAll(/\p{M}/gu, '');
    plain = plain.replace(/'.*$/, '');
    if (STOP.has(plain) || (plain.length < 2 && !/\d/.test(plain))) return '';
    if (/\d/.test(plain)) return plain.length > 12 ? '' : plain;
    return stemOf(plain, this.table);
  }

  private addWord(word: string, terms: string[]): void {
    const stem = this.stem(word);
    if (stem !== undefined) terms.push(stem);
  }

  private addEastAsian(word: string, terms: string[]): void {
    let end = 0;
    for (const run of word.matchAll(EAST_ASIAN_RUN)) {
      if (run.index > end) this.addWord(word.slice(end, run.index), terms);
      end = run.index + run[0].length;
      this.addRun(run[0], terms);
    }
    if (end < word.length) this.addWord(word.slice(end), terms);
  }

  private addRun(run: string, terms: string[]): void {
    for (const { segment } of this.segmenter(run).segment(run)) {
      if (!STOP.has(segment)) terms.push(segment);
    }
    for (const character of run) {
      if (!STOP.has(character)) terms.push(CHARACTER_MARK + character);
    }
    for (let at = 0; at + 2 <= run.length; at += 1) {
      const pair = run.slice(at, at + 2);
      if (!STOP.has(pair) && !(STOP.has(pair.charAt(0)) && STOP.has(pair.charAt(1)))) terms.push(PAIR_MARK + pair);
    }
  }

  private segmenter(run: string): Intl.Segmenter {
    const language = /[\u3040-\u30ff]/.test(run) ? 'ja' : /[\uac00-\ud7af]/.test(run) ? 'ko' : 'zh';
    const known = this.segmenters.get(language);
    if (known) return known;
    const made = new Intl.Segmenter(language, { granularity: 'word' });
    this.segmenters.set(language, made);
    return made;
  }
}

/** Whether two words of nearly one length are alike but for one letter, or two neighbouring ones that changed places. */
export function differInOne(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  const most = Math.min(one.length, other.length) - start;
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (left.length < 2 && right.length < 2) return true;
  return left.length === 2 && left[0] === right[1] && left[1] === right[0] && right.length === 2;
}
