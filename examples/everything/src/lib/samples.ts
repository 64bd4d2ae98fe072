/** One red pixel. */
export const redPixel = {
  type: 'image',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  mimeType: 'image/png',
} as const;

/** One millisecond of silence. */
export const silence = {
  type: 'audio',
  data: 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==',
  mimeType: 'audio/wav',
} as const;
