package cmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// profile is a server and the identity of the caller there. The zero value of a field is one that is not set.
type profile struct {
	Server   string `json:"server"`
	Operator string `json:"operator,omitempty"` // operator address
	Owner    string `json:"owner,omitempty"`
	Token    string `json:"token,omitempty"`
}

// profileLine is the JSON line of a profile, without its token.
type profileLine struct {
	Name string `json:"name"`
	profile
	HasToken bool `json:"hasToken"`
}

// profilesFile returns the path of the file of all profiles, which only the user can read.
func profilesFile() (string, error) {
	dir, err := configFolder()
	if err != nil {
		return "", fmt.Errorf("no configuration folder for profiles: %w", err)
	}
	return filepath.Join(dir, "profiles.json"), nil
}

// readProfiles returns the profiles by name. Without a file there are none.
func readProfiles() (map[string]profile, error) {
	path, err := profilesFile()
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]profile{}, nil
	}
	all := map[string]profile{}
	if err == nil {
		err = json.Unmarshal(content, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("profiles in %s: %w", path, err)
	}
	return all, nil
}

// writeProfiles replaces the file of the profiles.
func writeProfiles(all map[string]profile) error {
	path, err := profilesFile()
	if err != nil {
		return err
	}
	content, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return fmt.Errorf("profiles: %w", err)
	}
	draft, err := os.CreateTemp(filepath.Dir(path), ".profiles-*") // with the mode 0600
	if err != nil {
		return fmt.Errorf("profiles: %w", err)
	}
	_, err = draft.Write(append(content, '\n'))
	if err = errors.Join(err, draft.Close()); err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("profiles: %w", errors.Join(err, os.Remove(draft.Name())))
	}
	return nil
}

// selected returns the profile that --profile or ASSAY_PROFILE names, and whether one is named.
func (s *settings) selected() (profile, bool, error) {
	name := cmp.Or(s.profile, os.Getenv("ASSAY_PROFILE"))
	if name == "" {
		return profile{}, false, nil
	}
	all, err := readProfiles()
	if err != nil {
		return profile{}, false, err
	}
	p, found := all[name]
	if !found {
		return profile{}, false, usage("there is no profile %s; see: assay profiles list", shown(name))
	}
	return p, true, nil
}

// offerProfiles completes the names of profiles.
func offerProfiles(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all, err := readProfiles()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var fit []cobra.Completion
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, typed) {
			fit = append(fit, cobra.CompletionWithDesc(name, all[name].Server))
		}
	}
	return fit, cobra.ShellCompDirectiveNoFileComp
}

func newProfiles(s *settings) *cobra.Command {
	return s.operators(group(&cobra.Command{
		Use:   "profiles",
		Short: "Name servers, to select one with --profile",
		Long: `Name servers, to select one with --profile or ASSAY_PROFILE.

A profile is an address with an operator address, an owner and a token, if they are set.
Flags take precedence over the selected profile. Variables such as ASSAY_SERVER and
ASSAY_TOKEN have no effect while a profile is selected, so that a token is not sent to
another server. The profiles are in profiles.json in the user's configuration folder, which
others cannot read.`,
		Example: `  assay profiles set lab --server https://assay.lab.example --token - <token.txt
  assay --profile lab list
  export ASSAY_PROFILE=lab`,
	}, newProfilesList(s), newProfilesSet(s), newProfilesDelete(s)), "8087")
}

func newProfilesList(s *settings) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the profiles", Args: cobra.NoArgs}
	profiles := item[profileLine]{
		settings: s, heads: []any{"NAME", "SERVER", "OPERATOR", "OWNER", "TOKEN"},
		none: "No profiles yet; add one with: assay profiles set NAME --server URL",
		cells: func(p profileLine) []any {
			token := "-"
			if p.HasToken {
				token = "set"
			}
			return []any{p.Name, p.Server, cmp.Or(p.Operator, "-"), cmp.Or(p.Owner, "-"), token}
		},
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, err := readProfiles()
		if err != nil {
			return err
		}
		var lines []profileLine
		for _, name := range slices.Sorted(maps.Keys(all)) {
			lines = append(lines, lineOf(name, all[name]))
		}
		return profiles.writeList(cmd, each(lines))
	}
	return cmd
}

func lineOf(name string, p profile) profileLine {
	line := profileLine{Name: name, profile: p, HasToken: p.Token != ""}
	line.Token = "" // a token does not belong on a screen
	return line
}

func newProfilesSet(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use: "set NAME", Short: "Add a profile or change some of its values", Args: cobra.ExactArgs(1),
		ValidArgsFunction: offerProfiles,
		Long: `Add a profile or change some of its values: --server, --operator, --owner and --token.
Values without a flag are not changed, and an empty one is removed. "--token -" reads the
token from standard input, so that it is in no history of commands.`,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if s.token == "-" {
			given, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), 64<<10))
			if err != nil {
				return fmt.Errorf("token: %w", err)
			}
			s.token = string(given) // the value of the flag
		}
		all, err := readProfiles()
		if err != nil {
			return err
		}
		p := all[args[0]]
		for name, field := range map[string]*string{"server": &p.Server, "operator": &p.Operator, "owner": &p.Owner, "token": &p.Token} {
			if cmd.Flags().Changed(name) {
				*field = strings.TrimSpace(cmd.Flag(name).Value.String())
			}
		}
		if p.Server == "" {
			return usage("a profile needs --server")
		}
		p.Server = withScheme(p.Server)
		all[args[0]] = p
		if err := writeProfiles(all); err != nil {
			return err
		}
		return s.write(cmd.OutOrStdout(), lineOf(args[0], p), "%s  %s\n", shown(args[0]), p.Server)
	}
	return cmd
}

func newProfilesDelete(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME", Short: "Delete a profile", Args: cobra.ExactArgs(1), ValidArgsFunction: offerProfiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := readProfiles()
			if err != nil {
				return err
			}
			if _, found := all[args[0]]; !found {
				return usage("there is no profile %s; see: assay profiles list", shown(args[0]))
			}
			delete(all, args[0])
			if err := writeProfiles(all); err != nil {
				return err
			}
			return s.writeDeleted(cmd.OutOrStdout(), deletedLine{Name: args[0], Deleted: true})
		},
	}
}
