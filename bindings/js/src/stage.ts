// What stages of a pipe are made of.

/** Some engines have no web streams; there a stage can't be used, but the rest of the package can. */
export const Stage: typeof TransformStream =
  typeof TransformStream === "undefined"
    ? (class {
        constructor() {
          throw new TypeError("this engine has no TransformStream");
        }
      } as unknown as typeof TransformStream)
    : TransformStream;
