package release

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/mod/semver"
)

// Repository is the address of the repository.
const Repository = "https://github.com/assay-project/assay"

// Config specifies a release.
type Config struct {
	Root    string // root of the repository, a git work tree
	Version string // such as v0.1.0
	Commit  string // anything that git resolves to a commit
	Out     string // folder for the files, which Run creates; it must be absent or empty
	// Uncommitted accepts a work tree with changes that are not committed. The release does not contain them.
	Uncommitted bool
	Targets     []Target
	Images      bool // also build the images, which takes three more programs for each architecture of Linux
	// Key is the file with the minisign key that signs the checksums. If it is empty, they are not signed.
	Key      string
	Password string    // password of Key; empty if the key is not encrypted
	URL      string    // where the files will be, without a slash at the end
	Log      io.Writer // progress and the list of files
}

// Main makes a release with the flags in args, as make release does, and returns the exit status: 0 on success, 1 on
// failure, 2 for invalid flags. The variables ASSAY_RELEASE_KEY, ASSAY_RELEASE_PASSWORD and ASSAY_RELEASE_URL set Key,
// Password and URL. By default the files are at the releases of the repository on GitHub. An interrupt stops the builds.
func Main(args []string) int {
	cfg := Config{Key: os.Getenv("ASSAY_RELEASE_KEY"), Password: os.Getenv("ASSAY_RELEASE_PASSWORD"), URL: os.Getenv("ASSAY_RELEASE_URL"), Log: os.Stdout}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&cfg.Root, "root", ".", "root of the repository")
	flags.StringVar(&cfg.Version, "version", "", "version of the release, such as v0.1.0")
	flags.StringVar(&cfg.Commit, "commit", "HEAD", "commit to release")
	flags.StringVar(&cfg.Out, "out", "dist", "folder for the files; it must be absent or empty")
	flags.BoolVar(&cfg.Uncommitted, "uncommitted", false, "accept uncommitted changes, which the release does not contain")
	flags.BoolVar(&cfg.Images, "images", true, "build the images")
	targets := flags.String("targets", "", "platforms, separated by commas, such as linux/amd64 (default all)")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	var err error
	if cfg.Targets, err = parseTargets(*targets); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := Run(ctx, cfg); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		return 1
	}
	return 0
}

// validated returns the configuration with defaults, or an error if it is unusable.
func (c Config) validated() (Config, error) {
	if !semver.IsValid(c.Version) || semver.Canonical(c.Version)+semver.Build(c.Version) != c.Version {
		return c, fmt.Errorf("the version is %q: it must be like v0.1.0 or v0.1.0-rc.1", c.Version)
	}
	if semver.Build(c.Version) != "" {
		return c, fmt.Errorf("the version is %q: build metadata is not supported by all packages", c.Version)
	}
	if len(c.Targets) == 0 {
		return c, errors.New("there are no targets")
	}
	if c.URL == "" {
		c.URL = Repository + "/releases/download/" + c.Version
	}
	c.URL = strings.TrimSuffix(c.URL, "/")
	if entries, err := os.ReadDir(c.Out); err == nil && len(entries) > 0 {
		return c, fmt.Errorf("%s is not empty: remove it, or choose another folder", c.Out)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return c, err
	}
	return c, nil
}
