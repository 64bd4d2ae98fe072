// DOMException. WebIDL, 2.8.1: the names, and the codes that old ones still have.

const names = [
  'IndexSizeError', '', 'HierarchyRequestError', 'WrongDocumentError', 'InvalidCharacterError', '',
  'NoModificationAllowedError', 'NotFoundError', 'NotSupportedError', 'InUseAttributeError', 'InvalidStateError',
  'SyntaxError', 'InvalidModificationError', 'NamespaceError', 'InvalidAccessError', '', 'TypeMismatchError',
  'SecurityError', 'NetworkError', 'AbortError', 'URLMismatchError', 'QuotaExceededError', 'TimeoutError',
  'InvalidNodeTypeError', 'DataCloneError',
];

// The legacy constants, in the order of their numbers; they include names no longer thrown.
const constants =
  'INDEX_SIZE DOMSTRING_SIZE HIERARCHY_REQUEST WRONG_DOCUMENT INVALID_CHARACTER NO_DATA_ALLOWED NO_MODIFICATION_ALLOWED NOT_FOUND NOT_SUPPORTED INUSE_ATTRIBUTE INVALID_STATE SYNTAX INVALID_MODIFICATION NAMESPACE INVALID_ACCESS VALIDATION TYPE_MISMATCH SECURITY NETWORK ABORT URL_MISMATCH QUOTA_EXCEEDED TIMEOUT INVALID_NODE_TYPE DATA_CLONE';

class DOMExceptionClass extends Error {
  readonly #name: string;
  readonly #message: string;

  constructor(message: unknown = '', options: unknown = 'Error') {
    const text = `${message as string}`;
    super(text);
    // An Error keeps its message on itself; here name and message are of the prototype.
    delete (this as { message?: string }).message;
    this.#message = text;
    if (typeof options === 'object' && options !== null) {
      const { name = 'Error', cause } = options as { name?: unknown; cause?: unknown };
      this.#name = `${name as string}`;
      if ('cause' in options) Object.defineProperty(this, 'cause', { value: cause, writable: true, configurable: true });
    } else {
      this.#name = `${options as string}`;
    }
  }

  override get name(): string {
    return this.#name;
  }

  override get message(): string {
    return this.#message;
  }

  get code(): number {
    return names.indexOf(this.#name || '-') + 1;
  }
}

/** Gives the class what WebIDL wants and class syntax cannot say. */
function finish(target: typeof DOMExceptionClass): typeof DOMExceptionClass {
  const enumerable = { enumerable: true };
  Object.defineProperties(target.prototype, {
    name: enumerable,
    message: enumerable,
    code: enumerable,
    [Symbol.toStringTag]: { value: 'DOMException', configurable: true },
  });
  Object.defineProperty(target, 'name', { value: 'DOMException', configurable: true });
  constants.split(' ').forEach((name, i) => {
    for (const holder of [target, target.prototype]) Object.defineProperty(holder, `${name}_ERR`, { value: i + 1, enumerable: true });
  });
  return target;
}

/** The exception of the Web platform. */
export const DOMException = /* @__PURE__ */ finish(DOMExceptionClass);
export type DOMException = DOMExceptionClass;
