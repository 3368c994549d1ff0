package embedded

import (
	"crypto/subtle"

	"github.com/nats-io/nats-server/v2/server"
)

// onlyUser admits one user, to the account of the streams. The account $SYS has no users.
type onlyUser struct{ name, password string }

// Check implements server.Authentication.
func (u onlyUser) Check(client server.ClientAuthentication) bool {
	given := client.GetOpts()
	name := subtle.ConstantTimeCompare([]byte(given.Username), []byte(u.name))
	return name&subtle.ConstantTimeCompare([]byte(given.Password), []byte(u.password)) == 1
}
