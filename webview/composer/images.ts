import { MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS } from '../../src/protocol/wire.js';

/** Types that models take as they are. */
const TAKEN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** An image as base64, made smaller or into another type where a model would not take it as it is. Rejects where it cannot be read. */
export async function fittingImage(blob: Blob): Promise<string> {
  const bitmap = await createImageBitmap(blob);
  const longer = Math.max(bitmap.width, bitmap.height);
  const isFine = TAKEN.includes(blob.type) && longer <= MAX_IMAGE_PIXELS && blob.size <= MAX_IMAGE_BYTES;
  const fitting = isFine ? blob : await smaller(bitmap, blob.type, Math.min(1, MAX_IMAGE_PIXELS / longer));
  bitmap.close();
  return base64(fitting);
}

/** What a photo weighs too much as PNG has hardly anything that JPEG would lose. */
async function smaller(bitmap: ImageBitmap, type: string, scale: number): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const exact = type === 'image/jpeg' ? undefined : await encoded(canvas, 'image/png');
  if (exact && exact.size <= MAX_IMAGE_BYTES) return exact;
  return encoded(canvas, 'image/jpeg');
}

function encoded(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('It could not be made smaller.'))), type, 0.85);
  });
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error ?? new Error('It could not be read.'));
    reader.readAsDataURL(blob);
  });
}
