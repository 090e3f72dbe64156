-- The identity at an OIDC issuer that an operator signs in with; its name and address there may change, the subject does not.
alter table operator_account
  add column oidc_issuer text,
  add column oidc_subject text,
  add constraint operator_oidc unique (oidc_issuer, oidc_subject),
  add check ((oidc_issuer is null) = (oidc_subject is null));
