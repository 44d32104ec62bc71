import type { Caller } from '../../../shell/command.ts';

export type SettingValue = string | number | boolean | null;

/** One setting, as an operator sees it. */
export interface SettingRow {
  /** As in the files: `delivery.budget`. */
  readonly path: string;
  /** As it was written, as far as it may be seen: nothing of a secret. */
  readonly shown: string;
  readonly source: 'default' | 'here' | 'file' | 'environment';
  readonly meaning: string;
  /** What it may be, where that can be chosen or typed; absent: it is not changed here. */
  readonly may?:
    | {
        readonly kind: 'boolean' | 'number' | 'text';
        readonly choices?: readonly string[] | undefined;
        /** Empty stands for null, which is allowed. */
        readonly nullable: boolean;
      }
    | undefined;
}

/** What a changed detector would have posted over the past days, beside what it posted as it is. */
export interface SettingPreview {
  readonly days: number;
  readonly posts: number;
  readonly before: number;
}

/** The settings of the bot, for operators. Throws UserError with what is wrong. */
export interface SettingsDesk {
  list(): readonly SettingRow[];
  /** Sets a setting, or with undefined takes back what was set here. It applies within some seconds. */
  change(path: string, value: SettingValue | undefined): Promise<void>;
  /** Counts the posts of a detector with a changed setting. Undefined: the setting is no detector’s. */
  preview(
    path: string,
    given: { readonly value: SettingValue; readonly caller: Caller },
  ): Promise<SettingPreview | undefined>;
}
