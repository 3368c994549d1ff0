//go:build race

package documents

// raceFactor multiplies the memory of a program with the race detector: TestGeneratedDocuments has a peak of 2,207 MiB with it, and of
// 835 MiB without it.
const raceFactor = 2
