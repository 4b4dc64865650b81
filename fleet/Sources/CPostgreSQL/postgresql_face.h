// SPDX-License-Identifier: Apache-2.0

#pragma once
#include <libpq-fe.h>

// Character constants, which Swift does not import.
static const int readerd_pg_state = PG_DIAG_SQLSTATE;
static const int readerd_pg_text = PG_DIAG_MESSAGE_PRIMARY;
