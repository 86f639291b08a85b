# Targets impinge::impinge (shared) and impinge::static; both have the headers impinge.h and impinge.hpp.
get_filename_component(_impinge_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_impinge_lib "${_impinge_root}/lib")
find_package(Threads REQUIRED)

if(NOT TARGET impinge::impinge)
  if(WIN32)
    set(_impinge_shared "${_impinge_root}/bin/impinge_c.dll")
    set(_impinge_archive "${_impinge_lib}/impinge_c.lib")
    set(_impinge_system ws2_32 userenv ntdll bcrypt)
  elseif(APPLE)
    set(_impinge_shared "${_impinge_lib}/libimpinge_c.dylib")
    set(_impinge_archive "${_impinge_lib}/libimpinge_c.a")
    set(_impinge_system m)
  else()
    set(_impinge_shared "${_impinge_lib}/libimpinge_c.so")
    set(_impinge_archive "${_impinge_lib}/libimpinge_c.a")
    set(_impinge_system ${CMAKE_DL_LIBS} m gcc_s)
  endif()

  if(EXISTS "${_impinge_shared}")
    add_library(impinge::impinge SHARED IMPORTED)
    set_target_properties(impinge::impinge PROPERTIES
      IMPORTED_LOCATION "${_impinge_shared}"
      INTERFACE_INCLUDE_DIRECTORIES "${_impinge_root}/include")
    if(WIN32)
      set_target_properties(impinge::impinge PROPERTIES IMPORTED_IMPLIB "${_impinge_lib}/impinge_c.dll.lib")
    endif()
  endif()

  if(EXISTS "${_impinge_archive}")
    add_library(impinge::static STATIC IMPORTED)
    set_target_properties(impinge::static PROPERTIES
      IMPORTED_LOCATION "${_impinge_archive}"
      INTERFACE_INCLUDE_DIRECTORIES "${_impinge_root}/include"
      INTERFACE_LINK_LIBRARIES "Threads::Threads;${_impinge_system}")
  endif()
endif()

if(NOT TARGET impinge::impinge AND NOT TARGET impinge::static)
  set(impinge_FOUND FALSE)
  set(impinge_NOT_FOUND_MESSAGE "no impinge_c library in ${_impinge_lib}; run capi/install.sh again")
endif()
