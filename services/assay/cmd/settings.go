package cmd

import (
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
	color  bool // whether standard output has colors

	profile string // name of the profile that replaces the variables

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
	token, err := s.findToken()
	owner := ""
	if err == nil && token == "" {
		owner, err = s.findOwner()
	}
	if err != nil {
		return nil, err
	}
	return s.open(client.Config{Server: server, OwnerID: owner, Patience: s.patience, Webhook: s.webhook})
}

// operatorClient returns a client of the operator address: --operator, otherwise that of the profile, otherwise
// ASSAY_OPERATOR, otherwise that of a running "assay serve".
func (s *settings) operatorClient() (*client.Client, error) {
	address, err := s.findOperator()
	if err != nil {
		return nil, err
	}
	return s.open(client.Config{Server: withScheme(address), Patience: s.patience})
}

// open returns a client with the caller's token.
func (s *settings) open(config client.Config) (*client.Client, error) {
	var err error
	if config.Token, err = s.findToken(); err != nil {
		return nil, err
	}
	config.UserAgent = "assay-cli/" + process.Version()
	if s.opened, err = client.New(config); err != nil {
		return nil, &Usage{Err: err}
	}
	return s.opened, nil
}

func (s *settings) findServer() (string, error) {
	named, err := s.setting(s.server, "ASSAY_SERVER", func(p profile) string { return p.Server })
	if err != nil || named != "" {
		return withScheme(named), err
	}
	found, err := s.endpoints()
	return found.HTTP, err
}

// findOperator returns the operator address. A server that was named has the one that was named with it: commands for
// operators do not act on the server of this machine instead.
func (s *settings) findOperator() (string, error) {
	named, err := s.setting(s.operator, "ASSAY_OPERATOR", func(p profile) string { return p.Operator })
	if err != nil || named != "" {
		return withScheme(named), err
	}
	server, err := s.setting(s.server, "ASSAY_SERVER", func(p profile) string { return p.Server })
	if err != nil {
		return "", err
	}
	found, err := s.endpoints()
	if server != "" && (err != nil || found.HTTP != withScheme(server)) {
		return "", fmt.Errorf("this command calls the operator address of %s; set it with --operator or ASSAY_OPERATOR, such as http://127.0.0.1:8087",
			server)
	}
	return found.Operator, err
}

// setting returns the value of a flag, otherwise that of the profile, if one is selected, otherwise that of a variable.
func (s *settings) setting(flag, variable string, of func(profile) string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	p, selected, err := s.selected()
	if err != nil || selected {
		return of(p), err
	}
	return os.Getenv(variable), nil
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
func (s *settings) findToken() (string, error) {
	return s.setting(s.token, "ASSAY_TOKEN", func(p profile) string { return p.Token })
}

func (s *settings) findOwner() (string, error) {
	named, err := s.setting(s.owner, "ASSAY_OWNER", func(p profile) string { return p.Owner })
	if err != nil || named != "" {
		return named, err
	}
	dir, err := configFolder()
	if err != nil {
		return "", fmt.Errorf("no configuration folder for the owner id; set --owner: %w", err)
	}
	return keptOwner(dir)
}

// configFolder returns the folder of the user's own settings.
func configFolder() (string, error) {
	config, err := os.UserConfigDir()
	return filepath.Join(config, "assay"), err
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
