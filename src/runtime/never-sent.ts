import { CalledOff } from './send-check.ts';

const openingCalls: readonly unknown[] = ['connect', 'getaddrinfo'];
/** Codes of failures to open a connection: undici's own, and those of Node.js and OpenSSL if a certificate is not valid. */
const openingCodes =
  /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ERR_TLS_CERT_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;

/** Tells whether a request failed before any of it was sent, so that it was certainly not carried out. */
export function isNeverSent(error: unknown): boolean {
  if (error instanceof CalledOff) return true;
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  return openingCalls.includes(syscall) || openingCodes.test(String(code));
}
