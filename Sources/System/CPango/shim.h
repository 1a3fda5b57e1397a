#ifndef CPANGO_SHIM_H
#define CPANGO_SHIM_H

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

// Macros, which Swift cannot see.
static const int cpango_scale = PANGO_SCALE;

#endif
