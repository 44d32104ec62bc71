/** Labels of the contract and of ours, as they stand within a sentence. */
export default {} satisfies Readonly<Record<string, string>>;
