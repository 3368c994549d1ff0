package subscriber

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// connect opens a connection that reconnects automatically. It calls denied with each request that
// the server does not permit: the server does not respond to such a request but reports it on the
// connection.
func (s *subscription) connect(denied func(error)) error {
	options := []nats.Option{
		nats.Name("assay " + s.Name),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.PingInterval(10 * time.Second), // the connection is closed after three pings without a response
		nats.SyncQueueLen(64),               // a worker requests one message at a time
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				s.Log.Warn().Err(err).Msg("NATS connection lost")
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { s.reconnected() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			s.Log.Error().Err(err).Msg("NATS reported an error")
			if errors.Is(err, nats.ErrPermissionViolation) {
				denied(err)
			}
		}),
	}
	if s.TLS != nil {
		options = append(options, nats.Secure(s.TLS))
	}
	if s.Credentials != "" {
		options = append(options, nats.UserCredentials(s.Credentials))
	}
	if s.NKey != "" {
		key, err := nats.NkeyOptionFromSeed(s.NKey)
		if err != nil {
			return fmt.Errorf("subscriber: NKey in %s: %w", s.NKey, err)
		}
		options = append(options, key)
	}
	var err error
	if s.nc, err = nats.Connect(s.URL, options...); err != nil {
		return fmt.Errorf("cannot reach NATS at %s: %w", userInfo.ReplaceAllString(s.URL, "//"), err)
	}
	if s.js, err = jetstream.New(s.nc); err != nil {
		s.nc.Close()
		return fmt.Errorf("subscriber: %w", err)
	}
	return nil
}

// userInfo matches the users, passwords and tokens in a list of URLs.
var userInfo = regexp.MustCompile(`//[^,]*@`)

// connection returns a context that is done once the connection has been lost and restored. The
// server has then discarded earlier requests.
func (s *subscription) connection() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connected
}

func (s *subscription) reconnected() {
	s.Log.Info().Msg("NATS connection restored")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost()
	s.connected, s.lost = context.WithCancel(context.Background())
}

// close sends buffered acknowledgements and closes the connection.
func (s *subscription) close() {
	if err := s.nc.FlushTimeout(5 * time.Second); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		s.Log.Warn().Err(err).Msg("NATS connection closed with unsent data")
	}
	s.nc.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost()
}
