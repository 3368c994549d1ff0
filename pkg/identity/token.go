package identity

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/assay-project/assay/pkg/web"
)

// errToken means that a token is not valid for this service.
var errToken = errors.New("the token is not valid")

// skew is the maximum accepted difference between the clocks of the provider and of this process.
const skew = time.Minute

// maxEpoch is the latest time that a token may contain, in epoch seconds: the end of the year 9999.
const maxEpoch = 253402300799

// outageRetry is the Retry-After while the provider is unavailable.
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

// meet passes the user data of a caller to Options.Introduce. An error is logged and does not fail the request.
func (i *Identity) meet(ctx context.Context, c web.Caller) {
	if err := i.introduce(ctx, c.Owner, c.Credential.User); err != nil && ctx.Err() == nil {
		i.log.Warn().Err(err).Msg("cannot store the name of a user")
	}
}

func tokenProblem(err error) error {
	if errors.Is(err, errOutage) {
		return web.Unavailable("The token cannot be verified because the identity provider is unavailable.", outageRetry).Because(err)
	}
	return refused("The token was not issued by the identity provider for this service, or has expired.").Because(err)
}

// verify returns the claims of a token with a valid signature, issuer, audience and validity period. It
// returns errToken, or errOutage if the key of the token cannot be read.
func (p *provider) verify(ctx context.Context, token, audience string) (claims, error) {
	signed, err := jose.ParseSignedCompact(token, algorithms()) // the JSON serialization is not a JWT
	if err != nil || len(signed.Signatures) != 1 {
		return claims{}, fmt.Errorf("%w: malformed, or signed with a method that is not accepted", errToken)
	}
	if kind, given := signed.Signatures[0].Protected.ExtraHeaders[jose.HeaderType]; given && !identifies(kind) {
		return claims{}, fmt.Errorf("%w: of the type %v", errToken, kind)
	}
	// Cheap checks come first, so that a token for another service is also rejected during an outage.
	var c claims
	if err := json.Unmarshal(signed.UnsafePayloadWithoutVerification(), &c.all); err != nil {
		return claims{}, fmt.Errorf("%w: its claims are not an object", errToken)
	}
	if err := json.Unmarshal(signed.UnsafePayloadWithoutVerification(), &c.registered); err != nil {
		return claims{}, fmt.Errorf("%w: a registered claim is malformed", errToken)
	}
	if err := c.check(p.cfg, audience, p.now()); err != nil {
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

// identifies reports whether tokens with a type in their header identify a user: ID tokens and access tokens, but not
// others that the provider signs with the same keys, such as logout+jwt. RFC 8725 section 3.11.
func identifies(kind any) bool {
	name, _ := kind.(string)
	name = strings.TrimPrefix(strings.ToLower(name), "application/")
	return name == "jwt" || name == "at+jwt"
}

// check returns errToken unless the claims are currently valid for the audience.
func (c claims) check(cfg Config, audience string, now time.Time) error {
	r := c.registered
	_, event := c.all["events"]
	switch {
	case r.Issuer != cfg.Issuer:
		return fmt.Errorf("%w: the issuer does not match", errToken)
	case r.Subject == "":
		return fmt.Errorf("%w: the subject is missing", errToken)
	case !slices.Contains(r.Audience, audience):
		return fmt.Errorf("%w: the audience does not match", errToken)
	case r.Party != "" && audience == cfg.ClientID && r.Party != cfg.ClientID:
		return fmt.Errorf("%w: it was issued to another client", errToken)
	case event:
		return fmt.Errorf("%w: it reports an event, such as a logout", errToken) // RFC 8417
	case r.Expires <= 0 || r.Expires > maxEpoch || !now.Before(seconds(r.Expires).Add(skew)):
		return fmt.Errorf("%w: expired", errToken)
	case r.NotBefore != 0 && now.Add(skew).Before(seconds(r.NotBefore)):
		return fmt.Errorf("%w: not valid yet", errToken)
	}
	return nil
}
