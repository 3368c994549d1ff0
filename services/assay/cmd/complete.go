package cmd

import (
	"context"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/services/assay/client"
)

const (
	// completionTime is how long completion waits for the server.
	completionTime = 2 * time.Second
	// mostOffered is how many items completion offers.
	mostOffered = 100
	// manyArgs is the number of arguments of commands that accept any number.
	manyArgs = 1 << 30
)

// photoID matches the ids of photos, which are ULIDs.
var photoID = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)

// isUUID reports whether a text is a UUID with dashes.
func isUUID(text string) bool { return len(text) == 36 && uuid.Validate(text) == nil }

// offers returns what the shell can offer for a text that is being typed. Each is a value, or the result of
// cobra.CompletionWithDesc.
type offers func(ctx context.Context, c *client.Client, typed string) ([]cobra.Completion, error)

// completion returns a completion of the first arguments of a command, for which it asks the server that connect finds. A
// completion that fails offers nothing: a shell has no place for the error.
func completion(connect func() (*client.Client, error), arguments int, after cobra.ShellCompDirective, of offers) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		none := cobra.ShellCompDirectiveNoFileComp
		if len(args) >= arguments {
			return nil, none
		}
		c, err := connect()
		if err != nil {
			return nil, none
		}
		ctx, stop := context.WithTimeout(cmd.Context(), completionTime)
		defer stop()
		found, err := of(ctx, c, typed)
		if err != nil {
			return nil, none
		}
		var fit []cobra.Completion
		for _, one := range found {
			if strings.HasPrefix(one, typed) && len(fit) < mostOffered {
				fit = append(fit, one)
			}
		}
		return fit, none | after
	}
}

// complete returns the completion of the ids that are the first arguments of a command.
func (i item[T]) complete(arguments int) cobra.CompletionFunc {
	if i.offer == nil {
		return nil
	}
	return completion(i.connect, arguments, 0, func(ctx context.Context, c *client.Client, _ string) ([]cobra.Completion, error) {
		if i.all != nil {
			items, err := i.all(c, ctx)
			offered := make([]cobra.Completion, len(items))
			for k, v := range items {
				offered[k] = i.offer(v)
			}
			return offered, err
		}
		var offered []cobra.Completion
		for v, err := range i.list(c, ctx, client.Listing{Limit: min(i.perPage, mostOffered)}) {
			if err != nil || len(offered) == mostOffered {
				return offered, err
			}
			offered = append(offered, i.offer(v))
		}
		return offered, nil
	})
}

// checked returns a call that rejects a text that cannot be an id.
func (i item[T]) checked(do func(*client.Client, context.Context, string) (io.ReadCloser, error)) call[io.ReadCloser] {
	return func(c *client.Client, ctx context.Context, id string) (io.ReadCloser, error) {
		if err := i.check(id); err != nil {
			return nil, err
		}
		return do(c, ctx, id)
	}
}

// completePaths returns the completion of paths in the library.
func (s *settings) completePaths(arguments int) cobra.CompletionFunc {
	return completion(s.client, arguments, cobra.ShellCompDirectiveNoSpace, offerNodes)
}

// offerNodes offers the nodes of the folder that is being typed. Folders end with a slash.
func offerNodes(ctx context.Context, c *client.Client, typed string) ([]cobra.Completion, error) {
	parent := typed[:strings.LastIndexByte(typed, '/')+1]
	folder, err := find(ctx, c, parent)
	if err != nil || !folder.IsFolder() {
		return nil, err
	}
	if parent == "" {
		parent = "/"
		if typed != "" {
			parent = "" // the leading slash is optional
		}
	}
	var offered []cobra.Completion
	for n, err := range c.Children(ctx, folder.ID, client.Reading{}) {
		if err != nil {
			return nil, err
		}
		path := parent + n.Name
		if n.IsFolder() {
			path += "/"
		}
		if strings.HasPrefix(path, typed) {
			offered = append(offered, path)
		}
		if len(offered) == mostOffered {
			break
		}
	}
	return offered, nil
}

// offerDead offers the sequences of dead letters.
func offerDead(ctx context.Context, c *client.Client, _ string) ([]cobra.Completion, error) {
	letters, _, err := c.DeadLetters(ctx, client.DeadFilter{}, 0, mostOffered)
	offered := make([]cobra.Completion, len(letters))
	for i, l := range letters {
		offered[i] = cobra.CompletionWithDesc(strconv.FormatUint(l.Sequence, 10), l.Area+"  "+shown(l.Reason))
	}
	return offered, err
}

func deadClasses() []string {
	var classes []string
	for _, c := range event.DeadClasses() {
		classes = append(classes, string(c))
	}
	return classes
}

// oneOfFlag adds the completion of a flag with fixed values.
func oneOfFlag(cmd *cobra.Command, flag string, values ...string) {
	completeFlag(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completeFlag sets the completion of a flag.
func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag does not exist
	}
}
