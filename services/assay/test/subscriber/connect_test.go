package subscriber_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/subscriber"
)

// serve starts a server with an outcome, which a client with the given options publishes.
func serve(t *testing.T, server server.Options, client ...nats.Option) (url string) {
	t.Helper()
	url = bustest.StartWith(t, server)
	nc, err := nats.Connect(url, client...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	stream := jetstream.StreamConfig{Name: bus.StreamOutcomes, Subjects: []string{event.OutcomeSubjects}}
	if _, err := js.CreateStream(t.Context(), stream); err != nil {
		t.Fatal(err)
	}
	(&assay{url: url, js: js}).store(t, completed("textfile", "f1"))
	return url
}

// receives checks that a subscriber with these settings handles the outcome.
func receives(t *testing.T, cfg subscriber.Config) {
	t.Helper()
	cfg.Name = "mailer"
	seen := make(chan subscriber.Outcome, 1)
	start(t, cfg, into(seen))
	if o := next(t, seen, "outcome"); o.Item != "f1" {
		t.Errorf("got %s, want f1", o.Item)
	}
}

// rejected checks that Run returns an error that contains a text, and not the password or the token.
func rejected(t *testing.T, cfg subscriber.Config, want string) {
	t.Helper()
	cfg.Name = "mailer"
	err := subscriber.Run(t.Context(), cfg, nil)
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got error %v, want one that contains %q and no secret", err, want)
	}
}

func write(t *testing.T, content []byte) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// keys is a pair of keys of an NKey.
type keys struct {
	nkeys.KeyPair
	public string
	seed   []byte
}

func newKeys(t *testing.T, create func() (nkeys.KeyPair, error)) (k keys) {
	t.Helper()
	var err error
	if k.KeyPair, err = create(); err == nil {
		if k.public, err = k.PublicKey(); err == nil {
			k.seed, err = k.Seed()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestUserOrTokenInTheURL(t *testing.T) {
	url := serve(t, server.Options{Username: "ann", Password: "secret"}, nats.UserInfo("ann", "secret"))
	receives(t, subscriber.Config{URL: strings.Replace(url, "://", "://ann:secret@", 1)})
	rejected(t, subscriber.Config{URL: strings.Replace(url, "://", "://bob:secret@", 1)}, "Authorization")

	url = serve(t, server.Options{Authorization: "secret"}, nats.Token("secret"))
	receives(t, subscriber.Config{URL: strings.Replace(url, "://", "://secret@", 1)})
	rejected(t, subscriber.Config{URL: strings.Replace(url, "://", "://secret2@", 1)}, "Authorization")
}

func TestNKey(t *testing.T) {
	user, other := newKeys(t, nkeys.CreateUser), newKeys(t, nkeys.CreateUser)
	file := write(t, user.seed)
	option, err := nats.NkeyOptionFromSeed(file)
	if err != nil {
		t.Fatal(err)
	}
	url := serve(t, server.Options{Nkeys: []*server.NkeyUser{{Nkey: user.public}}}, option)
	receives(t, subscriber.Config{URL: url, NKey: file})
	rejected(t, subscriber.Config{URL: url}, "Authorization")
	rejected(t, subscriber.Config{URL: url, NKey: write(t, other.seed)}, "Authorization")
	rejected(t, subscriber.Config{URL: url, NKey: write(t, []byte("a secret"))}, "NKey")
	rejected(t, subscriber.Config{URL: url, NKey: file, Credentials: file}, "exclude each other")
}

// TestCredentialsFile uses a server with an operator, whose users are defined by JSON Web Tokens.
func TestCredentialsFile(t *testing.T) {
	operator, account, system, user := newKeys(t, nkeys.CreateOperator), newKeys(t, nkeys.CreateAccount), newKeys(t, nkeys.CreateAccount), newKeys(t, nkeys.CreateUser)
	resolver := &server.MemAccResolver{}
	for _, k := range []keys{account, system} {
		claims := jwt.NewAccountClaims(k.public)
		if k.public == account.public {
			claims.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: jwt.NoLimit, MemoryStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
		}
		token, err := claims.Encode(operator)
		if err == nil {
			err = resolver.Store(k.public, token)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	token, err := jwt.NewUserClaims(user.public).Encode(account)
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := jwt.FormatUserConfig(token, user.seed)
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, credentials)
	url := serve(t, server.Options{
		TrustedOperators: []*jwt.OperatorClaims{jwt.NewOperatorClaims(operator.public)}, AccountResolver: resolver, SystemAccount: system.public,
	}, nats.UserCredentials(file))
	receives(t, subscriber.Config{URL: url, Credentials: file})
	rejected(t, subscriber.Config{URL: url}, "Authorization")
}

// TestTLS uses a server that requires a certificate of the client.
func TestTLS(t *testing.T) {
	authority, roots := certificate(t, nil)
	ofServer, _ := certificate(t, &authority)
	ofClient, _ := certificate(t, &authority)
	trusting := &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{ofClient}}
	url := serve(t, server.Options{
		TLS: true, TLSVerify: true, TLSTimeout: patience.Seconds(),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{ofServer}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert},
	}, nats.Secure(trusting))
	receives(t, subscriber.Config{URL: url, TLS: trusting})
	rejected(t, subscriber.Config{URL: url}, "unknown authority")
	rejected(t, subscriber.Config{URL: url, TLS: &tls.Config{RootCAs: roots}}, "tls")
	rejected(t, subscriber.Config{URL: bustest.Start(t), TLS: trusting}, "secure connection")
}

// certificate returns a certificate for 127.0.0.1, signed by an authority or by itself, and a pool that contains it.
func certificate(t *testing.T, authority *tls.Certificate) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: authority == nil,
	}
	parent, signer := template, any(key)
	if authority != nil {
		parent, signer = authority.Leaf, authority.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, pool
}
