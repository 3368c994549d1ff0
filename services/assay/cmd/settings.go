package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/pflag"

	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/endpoints"
)

// settings holds the flags that all commands share.
type settings struct {
	server string
	data   string
	owner  string
	token  string
	json   bool

	operator string // address of the operator calls, of commands that have them

	patience time.Duration // how long a request is retried; 0 means the client's default
	webhook  string        // the endpoint that new items name

	opened *client.Client
}

// nameWebhook adds the flag of commands that create items.
func (s *settings) nameWebhook(flags *pflag.FlagSet) {
	flags.StringVar(&s.webhook, "webhook", "", "name or id of a webhook endpoint to which the result is delivered, whatever it selects")
}

// close closes everything that the command opened.
func (s *settings) close() {
	if s.opened != nil {
		s.opened.Close()
	}
}

// client returns a client of the configured server.
func (s *settings) client() (*client.Client, error) {
	server, err := s.findServer()
	if err != nil {
		return nil, err
	}
	owner := ""
	if s.findToken() == "" {
		if owner, err = s.findOwner(); err != nil {
			return nil, err
		}
	}
	return s.open(client.Config{Server: server, OwnerID: owner, Patience: s.patience, Webhook: s.webhook})
}

// operatorClient returns a client of the operator address: --operator, otherwise ASSAY_OPERATOR,
// otherwise that of a running "assay serve".
func (s *settings) operatorClient() (*client.Client, error) {
	address := cmp.Or(s.operator, os.Getenv("ASSAY_OPERATOR"))
	if address == "" {
		found, err := s.endpoints()
		if err != nil {
			return nil, err
		}
		address = found.Operator
	}
	return s.open(client.Config{Server: withScheme(address), Patience: s.patience})
}

// open returns a client with the caller's token.
func (s *settings) open(config client.Config) (*client.Client, error) {
	config.Token, config.UserAgent = s.findToken(), "assay-cli/"+process.Version()
	var err error
	if s.opened, err = client.New(config); err != nil {
		return nil, &Usage{Err: err}
	}
	return s.opened, nil
}

func (s *settings) findServer() (string, error) {
	if named := cmp.Or(s.server, os.Getenv("ASSAY_SERVER")); named != "" {
		return withScheme(named), nil
	}
	found, err := s.endpoints()
	return found.HTTP, err
}

// withScheme returns the URL of a server that may be given as host:port.
func withScheme(server string) string {
	if _, port, err := net.SplitHostPort(server); err == nil && port != "" && !strings.Contains(server, "/") {
		return "http://" + server
	}
	return server
}

// endpoints returns the endpoints of a server on this machine.
func (s *settings) endpoints() (endpoints.Endpoints, error) {
	dir, err := endpoints.Dir(s.data)
	if err != nil {
		return endpoints.Endpoints{}, err
	}
	found, err := endpoints.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return found, fmt.Errorf("no Assay server has run in %s; start one with: %s serve, or set --server", dir, process.Invocation("./services/assay"))
	}
	return found, err
}

// findToken returns the token of the caller, or "" for an anonymous caller.
func (s *settings) findToken() string { return cmp.Or(s.token, os.Getenv("ASSAY_TOKEN")) }

func (s *settings) findOwner() (string, error) {
	if named := cmp.Or(s.owner, os.Getenv("ASSAY_OWNER")); named != "" {
		return named, nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no configuration folder for the owner id; set --owner: %w", err)
	}
	return keptOwner(filepath.Join(config, "assay"))
}

// keptOwner returns the owner id stored in a directory. The first call creates it. Concurrent calls return
// the same id.
func keptOwner(dir string) (string, error) {
	path := filepath.Join(dir, "owner")
	content, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(content)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("owner id: %w", err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("owner id: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("owner id: %w", err)
	}
	draft, err := os.CreateTemp(dir, ".owner-*")
	if err != nil {
		return "", fmt.Errorf("owner id: %w", err)
	}
	_, err = fmt.Fprintln(draft, id)
	if err = errors.Join(err, draft.Close()); err == nil {
		// A link, unlike a rename, does not overwrite the id of another process.
		err = os.Link(draft.Name(), path)
	}
	if err = errors.Join(err, os.Remove(draft.Name())); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("owner id: %w", err)
	}
	content, err = os.ReadFile(path)
	return strings.TrimSpace(string(content)), err
}
