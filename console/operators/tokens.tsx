import { KeyRound, Plus } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { changed } from '../client/answers.ts';
import { ask, bridgeNow } from '../client/api.ts';
import type { OperatorToken } from '../client/operations.ts';
import { useList } from '../client/pages.ts';
import { Button } from '../parts/button.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Empty } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { Ago, Moment } from '../parts/time.tsx';
import { say } from '../parts/toast.tsx';
import { texts } from '../texts.ts';
import { NewToken } from './new-token.tsx';

const t = texts.operators;

interface TokensProps {
  readonly name: string;
  /** The bridge makes no token for an operator that is disabled. */
  readonly mayGrow: boolean;
}

/** The personal tokens of an operator: when each was used, until when it is good, and the button that revokes it. */
export function Tokens({ name, mayGrow }: TokensProps): ComponentChild {
  const given = { params: { name }, query: { limit: 50 } };
  const list = useList('listOperatorTokens', given, ({ id }) => id, 30_000);
  const [isNew, setNew] = useState(false);
  const [revoked, revoke] = useState<OperatorToken>();
  return (
    <>
      <ListCard
        label={t.tokens}
        title={t.tokens}
        list={list}
        keyOf={({ id }) => id}
        actions={
          mayGrow && (
            <Button icon={Plus} act={() => setNew(true)}>
              {t.newToken}
            </Button>
          )
        }
        empty={
          <Empty icon={KeyRound} title={t.noTokens} command={`databridge operator token create ${name} --name laptop`}>
            {t.noTokensAbout}
          </Empty>
        }
        columns={[
          {
            title: t.name,
            kind: 'name',
            cell: ({ name: token, id }) => (
              <>
                <bdi class="strong">{token}</bdi>
                <span class="under mono">{id}</span>
              </>
            ),
          },
          { title: t.state, cell: (token) => <State of={stateOf(token)} word={t.tokenStates[stateOf(token)]} /> },
          { title: t.lastUsed, kind: 'number', cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
          { title: t.since, cell: ({ createdAt }) => <Moment at={createdAt} /> },
          { title: t.until, cell: ({ revokedAt, expiresAt }) => <Moment at={revokedAt ?? expiresAt} /> },
          {
            title: texts.sources.actions,
            kind: 'actions',
            isSilent: true,
            cell: (token) =>
              stateOf(token) === 'active' && (
                <Button isSmall look="danger" act={() => revoke(token)}>
                  {t.revoke}
                </Button>
              ),
          },
        ]}
      />
      {isNew && <NewToken name={name} close={() => setNew(false)} />}
      {revoked && (
        <FormDialog
          title={t.revokeTitle(revoked.name)}
          verb={t.revoke}
          isDangerous
          close={() => revoke(undefined)}
          act={async () => {
            await ask('revokeOperatorToken', { params: { name, id: revoked.id } });
            say(t.revoked(revoked.name));
            changed(['listOperatorTokens', 'listOperators']);
          }}
        >
          <p>{t.revokeAbout}</p>
        </FormDialog>
      )}
    </>
  );
}

const stateOf = ({ revokedAt, expiresAt }: OperatorToken): keyof typeof t.tokenStates =>
  revokedAt !== null ? 'revoked' : Date.parse(expiresAt) <= bridgeNow() ? 'expired' : 'active';
