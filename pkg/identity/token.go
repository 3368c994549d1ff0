package identity

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/assay-project/assay/pkg/web"
)

// errToken means that a token proves nothing here.
var errToken = errors.New("the token is not valid")

// skew is by how much the clocks of the provider and of this process may differ.
const skew = time.Minute

// maxEpoch is the latest time that a token may name, in epoch seconds: of the year 9999.
const maxEpoch = 253402300799

// outageRetry is the Retry-After while the provider does not respond.
const outageRetry = 5 * time.Second

// byToken returns the caller of a request with a token of the provider.
func (i *Identity) byToken(ctx context.Context, token string) (web.Caller, error) {
	if i.provider == nil {
		return web.Caller{}, refused("The token is not an API key, and this server has no identity provider.")
	}
	sum := sha256.Sum256([]byte(token))
	if caller, known := i.verified.get(sum); known {
		return caller, nil
	}
	now := i.now()
	claims, err := i.provider.verify(ctx, token, i.provider.cfg.Audience)
	if err != nil {
		return web.Caller{}, tokenProblem(err)
	}
	caller := claims.caller(i.provider.cfg)
	caller.Credential.Check = func(ctx context.Context) error {
		_, err := i.byToken(ctx, token)
		return err
	}
	i.meet(ctx, caller)
	i.verified.put(sum, caller, now, caller.Credential.Expires.Add(skew))
	return caller, nil
}

// meet introduces a user. A failure is no reason to refuse the request.
func (i *Identity) meet(ctx context.Context, c web.Caller) {
	if err := i.introduce(ctx, c.Owner, c.Credential.User); err != nil && ctx.Err() == nil {
		i.log.Warn().Err(err).Msg("the names of a user were not stored")
	}
}

func tokenProblem(err error) error {
	if errors.Is(err, errOutage) {
		return web.Unavailable("The token cannot be checked now: the identity provider does not respond.", outageRetry).Because(err)
	}
	return refused("The token is not one of the identity provider for this service, or has expired.").Because(err)
}

// verify returns the claims of a token whose signature, issuer, audience and times are right. It returns
// errToken, and errOutage when the key of the token cannot be read.
func (p *provider) verify(ctx context.Context, token, audience string) (claims, error) {
	signed, err := jose.ParseSigned(token, algorithms())
	if err != nil || len(signed.Signatures) != 1 {
		return claims{}, fmt.Errorf("%w: malformed, or signed with a method that is not accepted", errToken)
	}
	// The cheap reasons come first, also so that a token for another service is refused in an outage.
	var c claims
	if err := json.Unmarshal(signed.UnsafePayloadWithoutVerification(), &c.all); err != nil {
		return claims{}, fmt.Errorf("%w: its claims are not an object", errToken)
	}
	if err := json.Unmarshal(signed.UnsafePayloadWithoutVerification(), &c.registered); err != nil {
		return claims{}, fmt.Errorf("%w: a registered claim is malformed", errToken)
	}
	if err := c.check(p.cfg.Issuer, audience, p.now()); err != nil {
		return claims{}, err
	}
	keys, err := p.keysFor(ctx, signed.Signatures[0].Header.KeyID)
	if err != nil {
		return claims{}, err
	}
	for _, key := range keys {
		if _, err = signed.Verify(key); err == nil {
			return c, nil
		}
	}
	return claims{}, fmt.Errorf("%w: not signed with a key of the provider", errToken)
}

// check returns errToken unless the claims are for the audience, now.
func (c claims) check(issuer, audience string, now time.Time) error {
	r := c.registered
	switch {
	case r.Issuer != issuer:
		return fmt.Errorf("%w: another issuer", errToken)
	case r.Subject == "":
		return fmt.Errorf("%w: no subject", errToken)
	case !slices.Contains(r.Audience, audience):
		return fmt.Errorf("%w: another audience", errToken)
	case r.Expires <= 0 || r.Expires > maxEpoch || !now.Before(seconds(r.Expires).Add(skew)):
		return fmt.Errorf("%w: expired", errToken)
	case r.NotBefore != 0 && now.Add(skew).Before(seconds(r.NotBefore)):
		return fmt.Errorf("%w: not valid yet", errToken)
	}
	return nil
}
