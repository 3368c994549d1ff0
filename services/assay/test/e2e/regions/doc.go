// Package regions is a drill: the region that writes fails while its feed receives items, another region takes over, and the
// first one returns. It measures how many acknowledged items the other region lacks (RPO) and for how long no item is
// accepted and completed (RTO), and checks what docs/regions.md states about streams, checkpoints, duplicates and dead
// letters.
//
// Each region has its own NATS, S3 and DynamoDB engines. Package globaltable replicates the table of feed items, and this
// package the texts in S3. All other tables are local to their region, as in the data model.
package regions
