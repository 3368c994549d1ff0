package feed

import (
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestTagsOfDuplicatesAreShown: a duplicate's tag is shown, whether it is posted while the item is pending, while it is
// being analyzed, or later, even if the lists and totals of the tag were read and cached before.
func TestTagsOfDuplicatesAreShown(t *testing.T) {
	t.Parallel()
	const items = 40
	c := system.StartCluster(t)
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	first, pending, meanwhile, after := system.NewTag(), system.NewTag(), system.NewTag(), system.NewTag()
	all := []string{first, pending, meanwhile, after}
	slices.Sort(all)

	var postings []system.Posting
	for range items {
		postings = append(postings, system.NewPosting("The book was good.", first))
	}
	again := func(tag string) {
		var repeats []system.Posting
		for _, p := range postings {
			p.MatchedTags = []string{tag}
			repeats = append(repeats, p)
		}
		for _, outcome := range c.PostItems(t, repeats) {
			if outcome != "duplicate" {
				t.Errorf("the outcome of a repeated post with tag %s is %s, want duplicate", tag, outcome)
			}
		}
	}
	c.PostItems(t, postings)
	for _, tag := range all { // so that the responses are cached
		c.AwaitItems(t, tag, 0)
	}
	again(pending)
	var both sync.WaitGroup
	both.Go(func() { again(meanwhile) })
	c.Service(t, "analyzer")
	both.Wait()
	for _, p := range postings {
		c.Analyzed(t, p.SourceID)
	}
	for _, tag := range []string{first, pending, meanwhile} {
		c.AwaitItems(t, tag, items)
	}
	again(after)
	for _, tag := range all {
		system.Eventually(t, func() error {
			for _, item := range c.AwaitItems(t, tag, items) {
				if !slices.Equal(item.MatchedTags, all) {
					return fmt.Errorf("%s has the tags %v in the list of %s, want %v", item.SourceID, item.MatchedTags, tag, all)
				}
			}
			var numbers struct {
				Tags []struct {
					Tag   string
					Count int
				}
			}
			if err := c.GetJSON(system.Within(t), "/v1/feed/summary?hours=1", &numbers); err != nil {
				return err
			}
			if !slices.ContainsFunc(numbers.Tags, func(n struct {
				Tag   string
				Count int
			}) bool {
				return n.Tag == tag && n.Count == items
			}) {
				return fmt.Errorf("the summary has the tags %+v, want %d items of %s", numbers.Tags, items, tag)
			}
			return nil
		})
	}
	everything, err := c.FeedList(system.Within(t), url.Values{"limit": {"1000"}})
	if err != nil || len(everything) != items {
		t.Errorf("%d items in total, %v; want %d", len(everything), err, items)
	}
}
