// Debian's SQLite is built without snapshots. GRDB's snapshot types need these functions to be linked, and nothing here calls
// them.
#include <sqlite3.h>
