/** Arrays of numbers that can grow, a few bytes an entry however many there are. */

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The types a column can have, by the names they are stored under. */
export const NUMBER_TYPES = {
  u8: (length: number): Numbers => new Uint8Array(length),
  u16: (length: number): Numbers => new Uint16Array(length),
  u32: (length: number): Numbers => new Uint32Array(length),
  f64: (length: number): Numbers => new Float64Array(length),
};

export type NumberType = keyof typeof NUMBER_TYPES;

/** A growing column of one type; grows by half, so that little is kept unused. */
export class Column {
  length = 0;
  private values: Numbers;

  constructor(
    readonly type: NumberType,
    filled?: Numbers,
  ) {
    this.values = filled ?? NUMBER_TYPES[type](0);
    this.length = this.values.length;
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = NUMBER_TYPES[this.type](Math.max(1024, Math.ceil(this.length * 1.5)));
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length] = value;
    this.length += 1;
  }

  /** 0 beyond the end. */
  at(index: number): number {
    return this.values[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.values[index] = value;
  }

  /** What is filled, without a copy: not to be kept over a `push`. */
  filled(): Numbers {
    return this.values.subarray(0, this.length);
  }
}
