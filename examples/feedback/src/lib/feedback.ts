import * as z from 'zod';

/** What senders give us. JSON Schema checks the tool's arguments; zod says in words what is wrong in what a form sent. */
export const Message = z.object({
  text: z.string().trim().min(1, 'say something').max(5000),
  rating: z.coerce.number().int().min(1).max(5),
  email: z.email().optional(),
  sentAt: z.iso.datetime().optional(),
});

export interface Feedback {
  id: string;
  text: string;
  rating: number;
  email?: string;
  sentAt: string;
}
