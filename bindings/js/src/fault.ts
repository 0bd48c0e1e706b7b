// What is thrown where a text is wrong.

/** What is wrong, on its way up: line, column and path are added where it becomes an error. */
export class Fault {
  constructor(
    readonly kind: string,
    readonly offset: number,
    /** What follows the kind in the message. */
    readonly expected: string,
    /** Where in the text that is read. */
    readonly at: number,
  ) {}
}
