package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// item describes one kind of item that a server has. Its methods build the commands that list, show, change and delete
// such items. A description omits what the commands of its items do not need.
type item[T any] struct {
	*settings
	connect func() (*client.Client, error) // settings.client or settings.operatorClient

	cells  func(T) []any     // an item as one line
	heads  []any             // headings of the cells
	layout string            // format of a line of cells; empty for lists whose columns are as wide as their cells
	none   string            // what an empty list says
	fields func(*columns, T) // an item with all its details; nil if it is always printed as JSON

	noun     string            // such as "photo"
	listed   string            // the command that lists them, such as "assay photo list"
	isID     func(string) bool // whether a text can be an id; nil accepts every text
	offer    func(T) string    // how completion offers an item: its id, then a description; nil for items without completion
	all      func(*client.Client, context.Context) ([]T, error)
	list     func(*client.Client, context.Context, client.Listing) iter.Seq2[T, error]
	perPage  int      // maximum number of items per request of list
	statuses []string // statuses that list selects
	created  func(T) time.Time
	get      func(*client.Client, context.Context, string, time.Duration) (T, error)
	wait     call[T]
	failed   func(T) error // why a final item counts as a failure, or nil
	delete   func(*client.Client, context.Context, string) error
	deleted  func(id string) deletedLine
}

// call reads or changes the item with an id.
type call[T any] func(c *client.Client, ctx context.Context, id string) (T, error)

// with returns the RunE of a command that calls the server that connect finds.
func with(
	connect func() (*client.Client, error), do func(cmd *cobra.Command, c *client.Client, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := connect()
		if err != nil {
			return err
		}
		return do(cmd, c, args)
	}
}

// newList completes a command that lists items by status, newest first.
func (i item[T]) newList(cmd *cobra.Command) *cobra.Command {
	var listing client.Listing
	var limit int
	var all bool
	cmd.Args = cobra.NoArgs
	cmd.PreRunE = func(*cobra.Command, []string) error {
		for _, status := range i.statuses {
			if strings.EqualFold(status, listing.Status) {
				listing.Status = status
			}
		}
		if err := oneOf("--status", listing.Status, i.statuses); err != nil {
			return err
		}
		return positive("--limit", limit)
	}
	cmd.RunE = with(i.connect, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		listing.Limit = i.perPage
		if !all {
			listing.Limit = min(i.perPage, limit)
		}
		listed := 0
		shown := i.withCreated()
		if listing.Status != "" {
			shown.none = "No " + i.noun + " is " + listing.Status + "."
		}
		return shown.writeList(cmd, func(yield func(T, error) bool) {
			for v, err := range i.list(c, cmd.Context(), listing) {
				if err == nil && !all && listed == limit {
					note(cmd.ErrOrStderr(), "There are more; use --all or raise --limit.")
					return
				}
				if listed++; !yield(v, err) {
					return
				}
			}
		})
	})
	flags := cmd.Flags()
	flags.StringVar(&listing.Status, "status", "", "only "+i.noun+"s with this status: "+strings.Join(i.statuses, ", "))
	flags.IntVar(&limit, "limit", 20, "maximum number of "+i.noun+"s to list")
	flags.BoolVar(&all, "all", false, "list all "+i.noun+"s")
	cmd.MarkFlagsMutuallyExclusive("limit", "all")
	oneOfFlag(cmd, "status", i.statuses...)
	return cmd
}

// newAll completes a command that lists all items.
func (i item[T]) newAll(cmd *cobra.Command) *cobra.Command {
	return i.newPage(cmd, "", func(ctx context.Context, c *client.Client) ([]T, bool, error) {
		all, err := i.all(c, ctx)
		return all, false, err
	})
}

// check returns an error if a text cannot be the id of an item.
func (i item[T]) check(id string) error {
	if i.isID == nil || i.isID(id) {
		return nil
	}
	return usage("%s is not the id of a %s; see: %s", shown(id), i.noun, i.listed)
}

// withCreated returns a description of the same items whose lines begin with the time of their creation.
func (i item[T]) withCreated() item[T] {
	cells := i.cells
	i.layout, i.heads = "%-19s  "+i.layout, append([]any{"CREATED"}, i.heads...)
	i.cells = func(v T) []any { return append([]any{dateTime(i.created(v))}, cells(v)...) }
	return i
}

// newPage completes a command that lists the items that read returns. If there are more, advice says how to see them.
func (i item[T]) newPage(
	cmd *cobra.Command, advice string, read func(context.Context, *client.Client) (items []T, more bool, err error),
) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = with(i.connect, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		items, more, err := read(cmd.Context(), c)
		if err != nil {
			return err
		}
		err = i.writeList(cmd, each(items))
		if err == nil && more {
			note(cmd.ErrOrStderr(), "There are more; %s.", advice)
		}
		return err
	})
	return cmd
}

// newGet completes a command that shows an item, and waits for its final status if requested.
func (i item[T]) newGet(cmd *cobra.Command) *cobra.Command {
	var wait bool
	cmd.Long += `

With --wait, get waits until the ` + i.noun + ` is COMPLETED or FAILED. If it is FAILED, the exit
status is 1.`
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the result")
	cmd.Args = cobra.ExactArgs(1)
	cmd.ValidArgsFunction = i.complete(1)
	cmd.RunE = with(i.connect, func(cmd *cobra.Command, c *client.Client, args []string) error {
		if err := i.check(args[0]); err != nil {
			return err
		}
		if !wait {
			v, err := i.get(c, cmd.Context(), args[0], 0)
			return i.writeFields(cmd.OutOrStdout(), v, err)
		}
		v, err := i.wait(c, cmd.Context(), args[0])
		if err = i.writeFields(cmd.OutOrStdout(), v, err); err == nil {
			err = i.failed(v)
		}
		return err
	})
	return cmd
}

// newShow completes a command that shows the item that do reads.
func (i item[T]) newShow(cmd *cobra.Command, do call[T]) *cobra.Command {
	cmd.Args = cobra.ExactArgs(1)
	cmd.ValidArgsFunction = i.complete(1)
	return i.newSet(cmd, func(ctx context.Context, c *client.Client, args []string) (T, error) {
		return do(c, ctx, args[0])
	})
}

// newSet completes a command that shows the item that do creates or changes.
func (i item[T]) newSet(
	cmd *cobra.Command, do func(ctx context.Context, c *client.Client, args []string) (T, error),
) *cobra.Command {
	cmd.RunE = with(i.connect, func(cmd *cobra.Command, c *client.Client, args []string) error {
		v, err := do(cmd.Context(), c, args)
		return i.writeFields(cmd.OutOrStdout(), v, err)
	})
	return cmd
}

// newEach completes a command that reads or changes each of several items and prints its new state.
func (i item[T]) newEach(cmd *cobra.Command, do call[T]) *cobra.Command {
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.ValidArgsFunction = i.complete(manyArgs)
	cmd.RunE = with(i.connect, func(cmd *cobra.Command, c *client.Client, ids []string) error {
		return i.each(cmd, ids, func(id string) error {
			if err := i.check(id); err != nil {
				return err
			}
			v, err := do(c, cmd.Context(), id)
			if err != nil {
				return err
			}
			return i.writeLine(cmd.OutOrStdout(), v)
		})
	})
	return cmd
}

// newDelete completes a command that deletes items.
func (i item[T]) newDelete(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.ValidArgsFunction = i.complete(manyArgs)
	cmd.RunE = with(i.connect, func(cmd *cobra.Command, c *client.Client, ids []string) error {
		return i.each(cmd, ids, func(id string) error {
			if err := i.check(id); err != nil {
				return err
			}
			if err := i.delete(c, cmd.Context(), id); err != nil {
				return err
			}
			return i.writeDeleted(cmd.OutOrStdout(), i.deleted(id))
		})
	})
	return cmd
}

// deletedLine is the JSON line of a deleted item, with one of its ids.
type deletedLine struct {
	FileID  string `json:"fileId,omitempty"`
	JobID   string `json:"jobId,omitempty"`
	Name    string `json:"name,omitempty"`
	Deleted bool   `json:"deleted"`
}

func (s *settings) writeDeleted(w io.Writer, d deletedLine) error {
	return s.write(w, d, "%s  deleted\n", cmp.Or(d.FileID, d.JobID, d.Name))
}

// writeLine writes an item as one line.
func (i item[T]) writeLine(w io.Writer, v T) error {
	return i.write(w, v, i.layout+"\n", i.cells(v)...)
}

// writeFields writes an item with all its details, unless it could not be read because of err.
func (i item[T]) writeFields(w io.Writer, v T, err error) error {
	if err != nil {
		return err
	}
	if i.json || i.fields == nil {
		return writeJSON(w, v)
	}
	var t columns
	i.fields(&t, v)
	return t.write(w)
}

// writeList writes items below the headings of their cells. An empty list is a note on standard error.
func (i item[T]) writeList(cmd *cobra.Command, all iter.Seq2[T, error]) error {
	w, heads := cmd.OutOrStdout(), i.in(bold)
	aligned := columns{heads: heads}
	aligned.row(i.heads...)
	listed, atOnce := 0, i.json || i.layout != ""
	for v, err := range all {
		listed++
		switch {
		case err != nil:
		case !atOnce:
			aligned.row(i.cells(v)...)
		default:
			if listed == 1 && !i.json {
				_, err = fmt.Fprintln(w, heads.of(fmt.Sprintf(i.layout, i.heads...)))
			}
			err = errors.Join(err, i.writeLine(w, v))
		}
		if err != nil {
			return err
		}
	}
	switch {
	case listed == 0 && !i.json && i.none != "":
		note(cmd.ErrOrStderr(), "%s", i.none)
		return nil
	case atOnce || listed == 0:
		return nil
	}
	return aligned.write(w)
}

// each yields items that were read without an error.
func each[T any](items []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range items {
			if !yield(v, nil) {
				return
			}
		}
	}
}
